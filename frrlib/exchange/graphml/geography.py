"""Places on the Earth: distances, delays of light in fiber, and positions on the canvas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

#: Mean radius of the Earth (IUGG), and the speed of light in a vacuum.
EARTH_KM, LIGHT_KM_PER_S = 6371.0088, 299_792.458
#: Light is slower in glass by its refractive index of about 1.5: 5 microseconds for each kilometer, as in ITU-T G.114.
FIBER_KM_PER_S = LIGHT_KM_PER_S * 2 / 3
#: The smallest distance of two nodes, horizontally or vertically, which leaves room for icons and names.
APART_PX = 90.0
_CORNER_PX, _SMALLEST_PX, _LARGEST_PX = 80.0, 900.0, 40_000.0

#: Longitude and latitude in degrees.
Coordinates = tuple[float, float]
Position = tuple[float, float]


def distance_km(a: Coordinates, b: Coordinates) -> float:
    """The length of the great circle between two places, by the haversine formula.

    h(d / R) = h(lat2 - lat1) + cos(lat1) cos(lat2) h(lon2 - lon1), where h(x) = sin(x / 2)^2
    (R. W. Sinnott, "Virtues of the Haversine", Sky and Telescope 68, 1984).
    """
    (lon_a, lat_a), (lon_b, lat_b) = ((math.radians(degrees) for degrees in place) for place in (a, b))
    haversine = (
        math.sin((lat_b - lat_a) / 2) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_b - lon_a) / 2) ** 2
    )
    return 2 * EARTH_KM * math.asin(math.sqrt(min(1.0, haversine)))


def fiber_delay_ms(a: Coordinates, b: Coordinates) -> float:
    """The one-way delay of light in a straight fiber between two places, to the microsecond."""
    return round(distance_km(a, b) / FIBER_KM_PER_S * 1000, 3)


def projected(places: Mapping[str, Coordinates]) -> dict[str, Position]:
    """Positions of places on the canvas, with north at the top and no two nearer than `APART_PX`.

    The projection is equirectangular, true to scale at the middle latitude. The map is cut where no place is for most
    degrees of longitude. A node that would be too near to an earlier one is moved to the nearest free position.

    Args:
        places: the places by name.
    """
    if not places:
        return {}
    west = _western_edge([longitude for longitude, _ in places.values()])
    latitudes = [latitude for _, latitude in places.values()]
    stretch = math.cos(math.radians((min(latitudes) + max(latitudes)) / 2))
    flat = {name: ((lon - west) % 360 * stretch, -lat) for name, (lon, lat) in places.items()}
    left, top = min(x for x, _ in flat.values()), min(y for _, y in flat.values())
    extent = max(max(x - left, y - top) for x, y in flat.values())
    size = min(max(_SMALLEST_PX, 1.5 * APART_PX * math.sqrt(len(places)) * 1.5), _LARGEST_PX)
    scale = size / extent if extent > 0 else 0.0
    wishes = {name: (_CORNER_PX + (x - left) * scale, _CORNER_PX + (y - top) * scale) for name, (x, y) in flat.items()}
    return without_overlaps(wishes)


def _western_edge(longitudes: list[float]) -> float:
    """The place east of the largest gap between the longitudes: the left edge of the map."""
    ordered = sorted({longitude % 360 for longitude in longitudes})
    gaps = [((after - before) % 360, after) for before, after in zip(ordered, ordered[1:] + ordered[:1], strict=True)]
    return max(gaps)[1] if len(ordered) > 1 else ordered[0]


def without_overlaps(wishes: Mapping[str, Position]) -> dict[str, Position]:
    """The nearest positions to the desired ones of which no two are nearer than `APART_PX` in both directions."""
    taken: dict[tuple[int, int], list[Position]] = {}
    positions: dict[str, Position] = {}
    for name, wish in wishes.items():
        spot = next(spot for spot in _spots_around(wish) if _is_free(spot, taken))
        positions[name] = spot
        taken.setdefault(_cell(spot), []).append(spot)
    return positions


def _cell(spot: Position) -> tuple[int, int]:
    return math.floor(spot[0] / APART_PX), math.floor(spot[1] / APART_PX)


def _is_free(spot: Position, taken: Mapping[tuple[int, int], list[Position]]) -> bool:
    column, row = _cell(spot)
    near = (other for dx in (-1, 0, 1) for dy in (-1, 0, 1) for other in taken.get((column + dx, row + dy), ()))
    return all(max(abs(spot[0] - other[0]), abs(spot[1] - other[1])) >= APART_PX for other in near)


def _spots_around(wish: Position) -> Iterator[Position]:
    """A position, then square rings around it, each from its nearest spot. Never ends."""
    x, y = (float(round(value)) for value in wish)
    yield x, y
    ring, step = 0, APART_PX / 2
    while True:
        ring += 1
        side = range(-ring, ring + 1)
        edge = [(dx, dy) for dx in side for dy in side if max(abs(dx), abs(dy)) == ring] if ring < 4 else [
            *((dx, dy) for dx in side for dy in (-ring, ring)),
            *((dx, dy) for dx in (-ring, ring) for dy in range(-ring + 1, ring)),
        ]  # fmt: skip
        edge.sort(key=lambda offset: offset[0] ** 2 + offset[1] ** 2)
        yield from ((x + dx * step, y + dy * step) for dx, dy in edge)
