"""ksim guest build and inspect, from outside. Skipped where Go 1.24 or newer is not."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

KSIM = os.path.abspath(sys.argv.pop())


def go_version():
    try:
        out = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    found = re.match(r"go1\.(\d+)", out.stdout)
    return int(found.group(1)) if found else 0


PROGRAM = """package main

import (
	"net/http"
	"os"
)

func main() {
	_, err := http.Get(os.Args[1])
	println(err.Error())
}
"""


# For Linux alone, as golang.org/x/sys/unix is; what the program calls is in the stand-in.
SYS = {"go.mod": "module golang.org/x/sys\n\ngo 1.24\n",
       "unix/syscall_linux.go": "package unix\n\nfunc Getpagesize() int { return 1 }\n"}
SYS_PROGRAM = """package main

import "golang.org/x/sys/unix"

func main() {
	println(unix.Getpagesize(), unix.ENOSYS.Error())
}
"""


class GuestBuild(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def write(self, **files):
        for name, text in files.items():
            path = self.root / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def ksim(self, *words, **environment):
        return subprocess.run([KSIM, "guest", *words], capture_output=True, text=True,
                              cwd=self.root, timeout=600,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.root / "cache"),
                                   **environment})

    def refused(self, *words, **environment):
        done = self.ksim(*words, **environment)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr


class WithoutGo(GuestBuild):
    def test_there_is_no_go(self):
        self.write(go_mod="module m\n\ngo 1.24\n", main_go=PROGRAM)
        self.assertIn("there is no Go: `go` is not in PATH",
                      self.refused("build", ".", PATH="/nowhere"))

    def test_what_is_no_guest(self):
        (self.root / "text").write_text("text")
        (self.root / "empty.wasm").write_bytes(b"\0asm\1\0\0\0")
        self.assertIn("it is no WebAssembly module", self.refused("inspect", "text"))
        self.assertIn("no program for WASI preview 1", self.refused("inspect", "empty.wasm"))
        self.assertIn("no such file", self.refused("inspect", "none"))


@unittest.skipIf(go_version() < 24, "Go 1.24 or newer is not there")
class WithGo(GuestBuild):
    def test_a_program_is_built_and_inspected(self):
        self.write(go_mod="module example.com/operator\n\ngo 1.24\n", cmd__main_go=PROGRAM)
        before = sorted(p for p in self.root.rglob("*") if p.is_file())
        built = self.ksim("build", ".", "-q")
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual(built.stderr, "")
        self.assertIn("operator.wasm: example.com/operator (devel), go1.", built.stdout)
        after = sorted(p for p in self.root.rglob("*")
                       if p.is_file() and self.root / "cache" not in p.parents)
        self.assertEqual(after, sorted([*before, self.root / "operator.wasm"]))

        guest = json.loads(self.ksim("inspect", "operator.wasm", "-o", "json").stdout)
        self.assertTrue(guest["builtByKsim"])
        self.assertFalse(guest["changed"])
        self.assertEqual(guest["module"], {"path": "example.com/operator", "version": "(devel)"})
        self.assertEqual(guest["package"], "example.com/operator/cmd")
        self.assertLessEqual({"ksim.idle", "ksim.reseed", "ksim.signal"}, set(guest["imports"]))

        # The same once more, from another place and under another name.
        there = self.root / "elsewhere"
        there.mkdir()
        (self.root / "go.mod").rename(there / "go.mod")
        (self.root / "cmd").rename(there / "cmd")
        again = self.ksim("build", "elsewhere/cmd", "-o", "again.wasm", TZ="Asia/Tokyo", LANG="C")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.root / "again.wasm").read_bytes(),
                         (self.root / "operator.wasm").read_bytes())

        # One that Go alone has built cannot be paused.
        subprocess.run(["go", "build", "-o", "../plain.wasm", "./cmd"], cwd=there, check=True,
                       env={**os.environ, "GOOS": "wasip1", "GOARCH": "wasm"})
        plain = self.ksim("inspect", "plain.wasm")
        self.assertEqual(plain.returncode, 2)
        self.assertIn("not built by ksim", plain.stderr)

    def test_what_cannot_be_built_is_told(self):
        self.write(go_mod="module m\n\ngo 1.24\n",
                   main_go="package main\n\nimport \"m/c\"\n\nfunc main() { c.One() }\n",
                   c__c_go="package c\n\nimport \"C\"\n\nfunc One() {}\n")
        told = self.refused("build", ".")
        self.assertIn("m/c: error: it needs cgo", told)
        self.assertIn("imported by m -> m/c", told)
        self.write(c__c_go="package c\n\nimport \"syscall\"\n\nfunc One() { syscall.Mount() }\n")
        self.assertIn("c/c.go:5:22: error: undefined: syscall.Mount\n", self.refused("build", "."))
        self.assertEqual(list(self.root.glob("*.wasm*")), [])

    def test_where_the_program_is(self):
        self.assertIn("it is in no Go module", self.refused("build", "."))
        self.assertIn("there is no such directory", self.refused("build", "none"))
        self.write(go_mod="module m\n\ngo 1.24\n", a_go="package m\n")
        self.assertIn("it has no program", self.refused("build", "."))
        self.write(x__a_go="package main\n\nfunc main() {}\n",
                   y__a_go="package main\n\nfunc main() {}\n")
        self.assertIn("it has 2 programs: m/x, m/y", self.refused("build", "."))

    def test_a_workspace_and_a_vendored_module(self):
        self.write(go_work="go 1.24\n\nuse (\n\t./op\n\t./lib\n)\n",
                   op__go_mod="module op\n\ngo 1.24\n", lib__go_mod="module e.com/lib\n\ngo 1.24\n",
                   op__main_go="package main\n\nimport \"e.com/lib\"\n\nfunc main() { lib.F() }\n",
                   lib__lib_go="package lib\n\nfunc F() {}\n")
        built = self.ksim("build", "op", "-o", "work.wasm")
        self.assertEqual(built.returncode, 0, built.stderr)
        self.write(op__go_mod="module op\n\ngo 1.24\n\nrequire e.com/lib v1.0.0\n",
                   op__vendor__modules_txt="# e.com/lib v1.0.0\n## explicit; go 1.24\ne.com/lib\n",
                   op__vendor__e_com__lib__lib_go="package lib\n\nfunc F() {}\n")
        built = self.ksim("build", "op", "-o", "vendor.wasm", GOWORK="off")
        self.assertEqual(built.returncode, 0, built.stderr)

    def proxy(self, module, version, files):
        """Puts a module into a module proxy that is a folder, and gives go's environment for it."""
        place = self.root / "proxy" / module / "@v"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{version}.info").write_text(json.dumps({"Version": version}))
        (place / f"{version}.mod").write_text(files["go.mod"])
        with zipfile.ZipFile(place / f"{version}.zip", "w") as archive:
            for name, text in files.items():
                archive.writestr(f"{module}@{version}/{name}", text)
        return {"GOPROXY": f"file://{self.root}/proxy", "GONOSUMDB": "*", "GONOSUMCHECK": "1",
                "GOFLAGS": "-modcacherw", "GOMODCACHE": str(self.root / "modcache"),
                "GOTOOLCHAIN": "local"}

    def test_a_folder_gets_a_stand_in(self):
        self.write(go_mod="module m\n\ngo 1.24\n\nrequire golang.org/x/sys v0.1.0\n\n"
                          "replace golang.org/x/sys => ./sys\n", main_go=SYS_PROGRAM)
        for name, text in SYS.items():
            (self.root / "sys" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / "sys" / name).write_text(text)
        built = self.ksim("build", ".")
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual([p.name for p in (self.root / "sys/unix").iterdir()],
                         ["syscall_linux.go"])

    def test_a_module_of_the_cache_gets_a_stand_in(self):
        environment = self.proxy("golang.org/x/sys", "v0.1.0", SYS)
        go_mod = "module m\n\ngo 1.24\n\nrequire golang.org/x/sys v0.1.0\n"
        self.write(go_mod=go_mod, main_go=SYS_PROGRAM)
        subprocess.run(["go", "mod", "download", "-modcacherw"], cwd=self.root, check=True,
                       capture_output=True, env={**os.environ, **environment})
        subprocess.run(["go", "mod", "tidy", "-modcacherw"], cwd=self.root, check=True,
                       capture_output=True, env={**os.environ, **environment})
        sums = (self.root / "go.sum").read_text()
        built = self.ksim("build", ".", **environment)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual((self.root / "go.mod").read_text(), go_mod)
        self.assertEqual((self.root / "go.sum").read_text(), sums)

        # The same by another go.mod, while the first is of no use.
        (self.root / "go.mod").rename(self.root / "oldest.mod")
        (self.root / "go.sum").rename(self.root / "oldest.sum")
        self.write(go_mod="module m\n\ngo 1.24\n")
        self.assertIn("no required module provides package golang.org/x/sys/unix",
                      self.refused("build", ".", **environment))
        built = self.ksim("build", ".", "--modfile", "oldest.mod", "-o", "oldest.wasm",
                          **environment)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertIn("other.mod: error: there is no such file",
                      self.refused("build", ".", "--modfile", "other.mod", **environment))

    def test_a_program_of_the_proxy(self):
        self.proxy("golang.org/x/sys", "v0.1.0", SYS)
        # As k8s.io/kubernetes has them: staging modules without a version, from a folder.
        self.proxy("k8s.io/api", "v0.36.3", {"go.mod": "module k8s.io/api\n\ngo 1.24\n",
                                             "api.go": "package api\n\nfunc F() {}\n"})
        go_mod = ("\n\ngo 1.24\n\nrequire (\n\tgolang.org/x/sys v0.1.0\n\tk8s.io/api v0.0.0\n)\n\n"
                  "replace k8s.io/api => ./staging/api\n")
        program = SYS_PROGRAM.replace("import ", "import _ \"k8s.io/api\"\nimport ")
        environment = self.proxy("k8s.io/kubernetes", "v1.36.3",
                                 {"go.mod": "module k8s.io/kubernetes" + go_mod,
                                  "cmd/manager/main.go": program, "cmd/a.go": "package cmd\n"})
        self.proxy("e.com/other", "v1.36.3", {"go.mod": "module e.com/other" + go_mod,
                                              "main.go": program})
        built = self.ksim("build", "k8s.io/kubernetes/cmd/manager@v1.36.3", **environment)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertIn("manager.wasm: k8s.io/kubernetes v1.36.3, go1.", built.stdout)

        self.assertIn("e.com/other v1.36.3 replaces k8s.io/api by its folder ./staging/api",
                      self.refused("build", "e.com/other@v1.36.3", **environment))
        self.assertIn("has no package k8s.io/kubernetes/cmd/none",
                      self.refused("build", "k8s.io/kubernetes/cmd/none@v1.36.3", **environment))
        self.assertIn("e.com/nowhere", self.refused("build", "e.com/nowhere@v1.0.0", **environment))

    def test_an_edit_that_does_not_fit(self):
        self.write(go_mod="module m\n\ngo 1.24\n", main_go=PROGRAM)
        real = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True,
                              check=True).stdout.strip()
        # A Go like the real one, but for one file.
        root = self.root / "goroot"
        runtime = root / "src/runtime"
        runtime.mkdir(parents=True)
        for folder in [pathlib.Path(real), pathlib.Path(real, "src"),
                       pathlib.Path(real, "src/runtime")]:
            for entry in folder.iterdir():
                there = root / entry.relative_to(real)
                if not there.exists() and entry.name != "lock_wasip1.go":
                    there.symlink_to(entry)
        (runtime / "lock_wasip1.go").write_text("package runtime\n")
        told = self.refused("build", ".", GOROOT=str(root))
        self.assertRegex(told, r"go1\.\S+: error: ksim \S+ cannot edit this version of Go: "
                               r"src/runtime/lock_wasip1.go holds the 2 lines that begin with")

    def test_ctrl_c_leaves_nothing(self):
        self.write(go_mod="module m\n\ngo 1.24\n", main_go=PROGRAM)
        # A cache of Go's that is empty: the build takes a minute.
        build = subprocess.Popen(
            [KSIM, "guest", "build", "."], cwd=self.root, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "XDG_CACHE_HOME": str(self.root / "cache"),
                 "GOCACHE": str(self.root / "gocache")})
        for line in build.stderr:
            if "compiling" in line:
                break
        time.sleep(0.5)
        build.send_signal(signal.SIGINT)
        self.assertEqual(build.wait(timeout=30), 130)
        build.stderr.close()
        self.assertEqual(list(self.root.glob("*.wasm*")), [])
        self.assertEqual(list(self.root.glob("cache/**/*.wasm*")), [])


if __name__ == "__main__":
    unittest.main()
