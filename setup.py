"""The packages of an installation; everything else about the project is in `pyproject.toml`."""

from setuptools import find_packages, setup

#: Folders of the checkout that are inside of packages where it is installed.
FOLDERS = {
    "miniedit_frr.examples": "examples",
    "frrlib.kernels.kernel": "kernel",
    "frrlib.kernels.kernel.congestion": "kernel/congestion",
}

setup(
    license="GPL-2.0-only",
    license_files=["LICENSE-GPLv2"],
    packages=[*find_packages(include=["frrlib*", "miniedit_frr*"]), *FOLDERS],
    package_dir=FOLDERS,
    include_package_data=True,
)
