"""What a release consists of besides its tag.

    python tools/release.py dist            builds and checks both packages, and lists what the base install consists of
    python tools/release.py site FOLDER     puts the built documentation beside that of other versions

`dist/` then has the wheel, the sdist, `requirements.txt` (every package of the base install for every system, each
with the digests of its files) and `sbom.cdx.json`, the same as a CycloneDX bill of materials.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, metadata
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

ROOT = Path(__file__).resolve().parents[1]
NAME = "showthrough"
REQUIREMENTS, BILL = "requirements.txt", "sbom.cdx.json"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(.*)$", re.MULTILINE)
_MAJOR_MINOR = re.compile(r"\d+\.\d+")


def version() -> str:
    found = re.search(r'__version__ = "(.+)"', (ROOT / "src/showthrough/version.py").read_text(encoding="utf-8"))
    if not found:
        raise SystemExit("src/showthrough/version.py: has no version")
    return found[1]


def make_packages(folder: Path) -> None:
    """Wheel and sdist, and what the base install consists of."""
    shutil.rmtree(folder, ignore_errors=True)
    _run("-m", "build", "--outdir", str(folder), str(ROOT))
    _run("-m", "twine", "check", "--strict", *map(str, sorted(folder.iterdir())))
    options = ["--universal", "--generate-hashes", "--no-header", "--no-annotate", "--quiet"]
    inputs = ["--python-version", "3.11", "pyproject.toml", "-c", "constraints.txt"]
    inputs += ["-o", str(folder.resolve() / REQUIREMENTS)]
    _run("-m", "uv", "pip", "compile", *options, *inputs)
    pins = (folder / REQUIREMENTS).read_text(encoding="utf-8")
    bill = json.dumps(bill_of_materials(pins, version()), indent=1) + "\n"
    (folder / BILL).write_text(bill, encoding="utf-8")


def _run(*command: str) -> None:
    if status := subprocess.run([sys.executable, *command], cwd=ROOT).returncode:  # noqa: S603 # our own commands
        raise SystemExit(status)


def bill_of_materials(pins: str, of_version: str) -> dict[str, Any]:
    """CycloneDX 1.6. The same pins give the same bill, so it has no time and its number follows from them."""
    found = {name.lower(): (number, rest) for name, number, rest in _PIN.findall(pins)}
    components = [
        {**_component(name, number), "type": "library", "scope": "optional" if ";" in rest else "required"}
        for name, (number, rest) in sorted(found.items())
    ]
    own = {**_component(NAME, of_version), "type": "application"}
    references = {name: _address(name, number) for name, (number, _) in found.items()}
    references[NAME] = own["bom-ref"]
    depends = [
        {"ref": reference, "dependsOn": sorted(references[other] for other in set(_needs(name)) & references.keys())}
        for name, reference in sorted(references.items())
    ]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, of_version + pins)}",
        "version": 1,
        "metadata": {"component": own},
        "components": components,
        "dependencies": depends,
    }


def _component(name: str, number: str) -> dict[str, Any]:
    address = _address(name, number)
    component: dict[str, Any] = {"bom-ref": address, "name": name, "version": number, "purl": address}
    try:
        said = metadata(name)
    except PackageNotFoundError:  # what other systems need
        return component
    if "License-Expression" in said:
        component["licenses"] = [{"expression": said["License-Expression"]}]
    elif "License" in said and "\n" not in said["License"]:  # some packages have the whole text there
        component["licenses"] = [{"license": {"name": said["License"]}}]
    return component


def _address(name: str, number: str) -> str:
    return f"pkg:pypi/{name}@{number}"


def _needs(name: str) -> Iterator[str]:
    """What a package needs without its extras, by the names of packages."""
    try:
        requires = distribution(name).requires or []
    except PackageNotFoundError:
        return
    for line in requires:
        if "extra ==" not in line:
            yield re.split(r"[^A-Za-z0-9._-]", line)[0].lower().replace("_", "-").replace(".", "-")


def add_site(site: Path, folder: Path, of_version: str) -> None:
    """The built site as one of several: the theme's switch reads `versions.json`, which has the newest first."""
    found = _MAJOR_MINOR.match(of_version)
    if not found or not (site / "index.html").is_file():
        raise SystemExit(f"{site}: expected the site of a version such as 1.0.0; make docs-site builds it")
    shutil.rmtree(folder / found[0], ignore_errors=True)
    shutil.copytree(site, folder / found[0])
    names = [path.name for path in folder.iterdir() if _MAJOR_MINOR.fullmatch(path.name)]
    names.sort(key=lambda name: [*map(int, name.split("."))], reverse=True)
    entries = [{"version": name, "title": name, "aliases": ["latest"] if name == names[0] else []} for name in names]
    (folder / "versions.json").write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    page = (
        f'<!doctype html><title>Showthrough</title><meta http-equiv="refresh" content="0; url={names[0]}/index.html">\n'
    )
    (folder / "index.html").write_text(page, encoding="utf-8")


def main(arguments: list[str]) -> int:
    if arguments == ["dist"]:
        make_packages(ROOT / "dist")
    elif arguments[:1] == ["site"] and len(arguments) == 2:
        add_site(ROOT / "site", Path(arguments[1]), version())
    else:
        print("usage: python tools/release.py dist | site FOLDER", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
