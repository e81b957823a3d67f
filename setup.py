"""What the project needs and what it is called; `.ci/setup.sh` reads the two lists from here."""

RUN_REQUIRES = [
    "pydantic>=2",
    "msgspec",
    "rich",
    "typer",
    "matplotlib",
    "numpy",
    "pexpect",
    "platformdirs",
    "dpkt",
    "pillow",
    "ttkbootstrap",
    "markdown-it-py",
    "tkinterdnd2>=0.4",
    "dask",
    "distributed",
]

TEST_REQUIRES = [
    "pytest>=8",
    "pytest-timeout",
    "pytest-xdist",
    # 6.170 takes minutes to look through strategies that refer to each other, where 6.140 takes seconds.
    "hypothesis<6.141",
    "networkx",
    "ruff",
    "mypy",
    "pandas",
    "pyarrow",
    "ansible-core",
    "netmiko",
    "setuptools",
    "wheel",
]

if __name__ == "__main__":
    import re
    from pathlib import Path

    from setuptools import find_packages, setup

    #: Folders of the checkout that are inside of packages where it is installed.
    folders = {"miniedit_frr.examples": "examples", "frrlib.kernels.kernel": "kernel"}
    setup(
        name="miniedit-frr",
        version=re.findall(r'__version__ = "(.+)"', (Path(__file__).parent / "frrlib/__init__.py").read_text())[0],
        description="Editor and laboratory for networks of hosts, switches and FRR routers",
        license="GPL-2.0-only",
        license_files=["LICENSE-GPLv2"],
        python_requires=">=3.11",
        packages=[*find_packages(include=["frrlib*", "miniedit_frr*", "experiments*"]), *folders],
        package_dir=folders,
        include_package_data=True,
        package_data={
            "": ["*.sh", "*.json", "*.csv", "*.csv.gz", "*.png", "*.mn", "*.config", "*.c", "*.mplstyle", "py.typed"],
        },
        data_files=[
            ("share/applications", ["miniedit_frr/desktop/miniedit-frr.desktop"]),
            ("share/mime/packages", ["miniedit_frr/desktop/miniedit-frr.xml"]),
            ("share/icons/hicolor/scalable/apps", ["miniedit_frr/desktop/miniedit-frr.svg"]),
        ],
        install_requires=RUN_REQUIRES,
        extras_require={"test": TEST_REQUIRES, "parquet": ["pyarrow"]},
        entry_points={
            "console_scripts": ["miniedit-frr = miniedit_frr.__main__:main"],
            "pytest11": ["miniedit_frr = frrlib.pytest_plugin"],
        },
    )
