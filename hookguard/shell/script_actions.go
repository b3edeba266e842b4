package shell

import "sync"

// actions are the functions of script languages that touch files or start
// programs. A name with a dot in front is a method of any object; one that
// starts with "path." is a method of a path object only. Each word of the
// meaning is kind:argument; "self" is the object itself.
//
//	out, del, name, hard, in   as in the tool table
//	open:P,M     argument P, written when mode M (or its default) says so
//	link:T,N     a symbolic link N to T
//	code:N       shell text
//	argv:N       a program with its arguments, as a list or as shell text
//	exec:N       a program name, its arguments after it or in the next list
//	self code    code in the language itself
//	dir:N        the process moves there
//	env:N,V      a variable is set
//	patch:N      a patch in apply_patch's form
var actions = sync.OnceValue(func() map[string]string {
	return map[string]string{
		// Python
		"open": "open:0,1", "io.open": "open:0,1", "codecs.open": "open:0,1", "builtins.open": "open:0,1", "gzip.open": "open:0,1", "bz2.open": "open:0,1", "lzma.open": "open:0,1",
		"tarfile.open": "open:0,1", "zipfile.ZipFile": "open:0,1", "shelve.open": "out:0", "io.FileIO": "open:0,1", "FileIO": "open:0,1", "numpy.savetxt": "out:0", "numpy.savez": "out:0", "numpy.savez_compressed": "out:0", "dbm.open": "open:0,1", "sqlite3.connect": "out:0", "wave.open": "open:0,1", "aiofiles.open": "open:0,1",
		"os.open": "osopen:0,1", "os.remove": "del:0", "os.unlink": "del:0", "os.rmdir": "del:0", "os.removedirs": "del:0", "os.rename": "del:0 out:1", "os.renames": "del:0 out:1", "os.replace": "del:0 out:1",
		"os.mkdir": "out:0", "os.makedirs": "out:0", "os.mkfifo": "out:0", "os.mknod": "out:0", "os.truncate": "out:0", "os.chmod": "out:0", "os.chown": "out:0", "os.lchown": "out:0", "os.utime": "out:0", "os.setxattr": "out:0",
		"os.symlink": "link:0,1", "os.link": "hard:0 name:1", "os.chdir": "dir:0", "os.putenv": "env:0,1", "os.creat": "out:0",
		"shutil.rmtree": "del:0", "shutil.copy": "out:1", "shutil.copy2": "out:1", "shutil.copyfile": "out:1", "shutil.copytree": "out:1", "shutil.copymode": "out:1", "shutil.copystat": "out:1",
		"shutil.move": "del:0 out:1", "shutil.make_archive": "out:0", "shutil.unpack_archive": "out:1", "shutil.chown": "out:0", "distutils.dir_util.copy_tree": "out:1",
		"tempfile.mkdtemp": "tempdir", "tempfile.mkstemp": "tempdir", "tempfile.NamedTemporaryFile": "tempdir", "tempfile.TemporaryDirectory": "tempdir", "tempfile.TemporaryFile": "tempdir", "tempfile.mktemp": "tempdir",
		"os.system": "code:0", "os.popen": "code:0", "subprocess.run": "argv:0", "subprocess.call": "argv:0", "subprocess.check_call": "argv:0", "subprocess.check_output": "argv:0", "subprocess.Popen": "argv:0", "subprocess.getoutput": "code:0", "subprocess.getstatusoutput": "code:0",
		"os.execv": "exec:0", "os.execvp": "exec:0", "os.execve": "exec:0", "os.execvpe": "exec:0", "os.execl": "exec:0", "os.execlp": "exec:0", "os.execle": "exec:0", "os.spawnl": "exec:1", "os.spawnlp": "exec:1", "os.spawnv": "exec:1", "os.spawnvp": "exec:1", "os.posix_spawn": "exec:0", "os.posix_spawnp": "exec:0",
		"pty.spawn": "argv:0", "asyncio.create_subprocess_shell": "code:0", "asyncio.create_subprocess_exec": "exec:0", "commands.getoutput": "code:0", "platform.popen": "code:0", "pexpect.spawn": "code:0", "pexpect.run": "code:0", "plumbum.local": "exec:0",
		"exec": "self:0", "eval": "self:0", "compile": "self:0", "__builtins__.exec": "self:0", "builtins.exec": "self:0",
		"runpy.run_path": "in:0", "urllib.request.urlretrieve": "out:1", "wget.download": "out:1", "numpy.save": "out:0", "np.save": "out:0", "np.savetxt": "out:0", "np.savez": "out:0", "torch.save": "out:1", "joblib.dump": "out:1", "cv2.imwrite": "out:0", "plt.savefig": "out:0", "imageio.imwrite": "out:0", "logging.FileHandler": "out:0", "logging.basicConfig": "kw:filename", "fileinput.input": "inplace:0", "py_compile.compile": "out:1", "os.environ.setdefault": "env:0,1", "os.environ.pop": "unenv:0",
		".write_text": "out:self", ".write_bytes": "out:self", "path.touch": "out:self", "path.mkdir": "out:self", "path.unlink": "del:self", "path.rmdir": "del:self", "path.rmtree": "del:self", "path.delete": "del:self", "path.rename": "del:self out:0", "path.replace": "del:self out:0", "path.chmod": "out:self", "path.open": "open:self,0", "path.write": "out:self", "path.mkpath": "out:self", "path.binwrite": "out:self", "path.make_link": "hard:0 name:self", "path.make_symlink": "link:0,self",
		".symlink_to": "link:0,self", ".hardlink_to": "hard:0 name:self", ".link_to": "hard:self name:0",
		".to_csv": "out:0", ".to_json": "out:0", ".to_parquet": "out:0", ".to_excel": "out:0", ".to_pickle": "out:0", ".to_feather": "out:0", ".to_html": "out:0", ".to_hdf": "out:0", ".to_stata": "out:0", ".savefig": "out:0", ".write_csv": "out:0", ".write_parquet": "out:0", ".write_image": "out:0", ".write_html": "out:0", ".extractall": "outdir:0 kw:path", ".extract": "outpath:1 kw:path", "git.Repo.clone_from": "out:1", "Repo.clone_from": "out:1", "Repo.init": "out:0", ".imwrite": "out:0", ".save": "outpath:0", ".export": "outpath:0", ".tofile": "out:0", ".saveAsTextFile": "out:0", ".save_pretrained": "out:0", ".screenshot": "kw:path", ".pdf": "kw:path",
		// JavaScript
		"fs.writeFile": "out:0", "fs.appendFile": "out:0", "fs.writeFileSync": "out:0", "fs.appendFileSync": "out:0", ".writeFileSync": "out:0", ".appendFileSync": "out:0", ".createWriteStream": "out:0", ".writeFile": "out:0", ".appendFile": "out:0", ".outputFile": "out:0", ".outputFileSync": "out:0", ".outputJson": "out:0", ".outputJsonSync": "out:0", ".writeJson": "out:0", ".writeJsonSync": "out:0", ".ensureDir": "out:0", ".ensureDirSync": "out:0", ".ensureFile": "out:0", ".ensureFileSync": "out:0", ".mkdirp": "out:0", ".mkdirpSync": "out:0", ".emptyDirSync": "del:0", ".removeSync": "del:0", ".moveSync": "del:0 out:1", ".copySync": "out:1",
		"fs.open": "open:0,1", "fs.openSync": "open:0,1", "fs.mkdir": "out:0", "fs.mkdirSync": "out:0", "fs.mkdtemp": "out:0", "fs.mkdtempSync": "out:0", "fs.rm": "del:0", "fs.rmSync": "del:0", "fs.rmdir": "del:0", "fs.rmdirSync": "del:0", "fs.unlink": "del:0", "fs.unlinkSync": "del:0", "fs.remove": "del:0", "fs.move": "del:0 out:1", "fs.copy": "out:1",
		"fs.rename": "del:0 out:1", "fs.renameSync": "del:0 out:1", "fs.copyFile": "out:1", "fs.copyFileSync": "out:1", "fs.cp": "out:1", "fs.cpSync": "out:1", "fs.symlink": "link:0,1", "fs.symlinkSync": "link:0,1", "fs.link": "hard:0 name:1", "fs.linkSync": "hard:0 name:1", "fs.truncate": "out:0", "fs.truncateSync": "out:0", "fs.chmod": "out:0", "fs.chmodSync": "out:0", "fs.chown": "out:0", "fs.chownSync": "out:0", "fs.utimes": "out:0", "fs.utimesSync": "out:0",
		".mkdirSync": "out:0", ".rmSync": "del:0", ".unlinkSync": "del:0", ".rmdirSync": "del:0", ".renameSync": "del:0 out:1", ".copyFileSync": "out:1", ".cpSync": "out:1", ".symlinkSync": "link:0,1", ".linkSync": "hard:0 name:1", ".openSync": "open:0,1", ".truncateSync": "out:0", ".chmodSync": "out:0",
		"child_process.exec": "code:0", "child_process.execSync": "code:0", "child_process.spawn": "exec:0", "child_process.spawnSync": "exec:0", "child_process.execFile": "exec:0", "child_process.execFileSync": "exec:0", "child_process.fork": "in:0",
		".execSync": "code:0", ".spawnSync": "exec:0", ".execFileSync": "exec:0", "spawn": "exec:0", "spawnSync": "exec:0", "execSync": "code:0", "execFileSync": "exec:0", "execa": "exec:0", "shelljs.exec": "code:0", "shell.exec": "code:0", "rimraf": "del:0", "rimraf.sync": "del:0", "del": "del:0", "process.chdir": "dir:0",
		"Deno.writeTextFile": "out:0", "Deno.writeTextFileSync": "out:0", "Deno.writeFile": "out:0", "Deno.writeFileSync": "out:0", "Deno.remove": "del:0", "Deno.removeSync": "del:0", "Deno.mkdir": "out:0", "Deno.mkdirSync": "out:0", "Deno.rename": "del:0 out:1", "Deno.copyFile": "out:1", "Deno.symlink": "link:0,1", "Deno.create": "out:0", "Deno.run": "kwargv:cmd", "Deno.Command": "exec:0", "Deno.open": "denoopen:0,1",
		"tools.exec_command": "kwargv:cmd", "tools.shell_command": "kwargv:command", "tools.apply_patch": "patch:0", // of Codex's code mode
		"Bun.write": "out:0", "Bun.spawn": "argv:0", "Bun.spawnSync": "argv:0", "Bun.$": "code:0", "Function": "self:0",
		// Ruby
		"File.open": "open:0,1", "File.new": "open:0,1", "File.write": "out:0", "File.binwrite": "out:0", "IO.write": "out:0", "IO.binwrite": "out:0", "File.delete": "delall", "File.unlink": "delall", "File.rename": "del:0 out:1", "File.symlink": "link:0,1", "File.link": "hard:0 name:1", "File.truncate": "out:0", "File.chmod": "out:1", "File.chown": "out:2", "File.utime": "out:2", "File.mkfifo": "out:0", "IO.copy_stream": "out:1", "IO.sysopen": "open:0,1",
		"Dir.mkdir": "out:0", "Dir.rmdir": "del:0", "Dir.delete": "del:0", "Dir.unlink": "del:0", "Dir.chdir": "dir:0", "Dir.mktmpdir": "rubytemp", "Tempfile.new": "rubytemp", "Tempfile.create": "rubytemp",
		"FileUtils.mkdir": "out:0", "FileUtils.mkdir_p": "out:0", "FileUtils.makedirs": "out:0", "FileUtils.touch": "out:0", "FileUtils.cp": "out:1", "FileUtils.cp_r": "out:1", "FileUtils.copy": "out:1", "FileUtils.copy_file": "out:1", "FileUtils.install": "out:1", "FileUtils.mv": "del:0 out:1", "FileUtils.move": "del:0 out:1", "FileUtils.rm": "del:0", "FileUtils.rm_f": "del:0", "FileUtils.rm_r": "del:0", "FileUtils.rm_rf": "del:0", "FileUtils.remove": "del:0", "FileUtils.remove_dir": "del:0", "FileUtils.remove_entry": "del:0", "FileUtils.rmtree": "del:0", "FileUtils.rmdir": "del:0", "FileUtils.ln_s": "link:0,1", "FileUtils.ln_sf": "link:0,1", "FileUtils.symlink": "link:0,1", "FileUtils.ln": "hard:0 name:1", "FileUtils.chmod": "out:1", "FileUtils.chmod_R": "out:1", "FileUtils.chown": "out:2", "FileUtils.cd": "dir:0",
		"IO.popen": "argv:0", "Open3.capture2": "argv:0", "Open3.capture2e": "argv:0", "Open3.capture3": "argv:0", "Open3.popen3": "argv:0", "Open3.pipeline": "argv:0", "Kernel.system": "argv:0", "Kernel.exec": "argv:0", "Process.spawn": "argv:0", "PTY.spawn": "argv:0", "instance_eval": "self:0", "Kernel.eval": "self:0",
		// Perl, PHP, Lua, awk, R: functions without a module
		"system": "argv:0", "popen": "code:0", "shell_exec": "code:0", "passthru": "code:0", "proc_open": "argv:0", "pcntl_exec": "exec:0", "os.execute": "code:0", "io.popen": "code:0", "readpipe": "code:0", "system2": "exec:0", "shell": "code:0",
		"unlink": "delall", "rmdir": "del:0", "mkdir": "out:0", "make_path": "outall", "mkpath": "outall", "remove_tree": "delall", "rmtree": "delall", "rename": "del:0 out:1", "symlink": "link:0,1", "link": "hard:0 name:1", "truncate": "out:0", "chdir": "dir:0", "sysopen": "osopen:1,2", "copy": "out:1", "move": "del:0 out:1", "cp": "out:1", "mv": "del:0 out:1", "rcopy": "out:1", "fcopy": "out:1", "chmod": "out:1", "chown": "out:2", "utime": "out:2", "spew": "out:0", "write_file": "out:0", "path": "pathobject",
		"file_put_contents": "out:0", "fopen": "open:0,1", "touch": "out:0", "tempnam": "out:0", "move_uploaded_file": "out:1", "imagepng": "out:1", "imagejpeg": "out:1", "copyfile": "out:1", "ini_set": "none", "putenv": "putenv", "mkfifo": "out:0", "posix_mkfifo": "out:0", "lchown": "out:0", "chgrp": "out:0", "error_log": "out:2", "fputcsv": "none",
		"io.output": "out:0", "lfs.mkdir": "out:0", "lfs.rmdir": "del:0",
		"write.csv": "out:1 kw:file", "write.table": "out:1 kw:file", "writeLines": "out:1 kw:con", "saveRDS": "out:1 kw:file", "save.image": "out:0 kw:file", "save": "kw:file", "sink": "out:0 kw:file", "cat": "kw:file", "file.create": "outall", "file.remove": "delall", "file.rename": "del:0 out:1", "file.copy": "out:1", "file.symlink": "link:0,1", "dir.create": "out:0", "ggsave": "out:0 kw:filename", "pdf": "out:0 kw:file", "png": "out:0 kw:filename", "setwd": "dir:0", "download.file": "out:1 kw:destfile", "dump": "kw:file", "write_csv": "out:1 kw:file", "write": "out:1 kw:file", "file": "open:0,1",
		"pl:exec": "argv:0", "rb:exec": "argv:0", "php:exec": "code:0", "pl:eval": "self:0", "rb:spawn": "argv:0", "rb:open": "open:0,1",
		"jl:write": "out:0", "jl:touch": "out:0", "jl:rm": "del:0", "jl:run": "none",
		"rm": "jlrm", "mktempdir": "none",
	}
})

// jsFS are JavaScript modules that are "fs" by another name.
var jsFS = map[string]bool{"fs": true, "fs.promises": true, "fs-extra": true, "graceful-fs": true, "memfs": false, "fsp": true, "fse": true}

// defaultNames are modules whose members scripts use by bare name: "from os
// import *", a Perl function, a PHP function.
var bareOnly = sync.OnceValue(func() map[string]string {
	return map[string]string{
		// These are ordinary words: they mean the file function only in the
		// languages where it is a global one.
		"unlink": "pl php r jl", "rmdir": "pl php", "mkdir": "pl php jl r", "rename": "pl php", "symlink": "pl php jl", "link": "pl php", "truncate": "pl php", "chdir": "pl php rb", "copy": "pl php", "move": "pl",
		"cp": "pl jl rb", "mv": "pl jl rb", "rm": "jl", "chmod": "pl php jl", "chown": "pl php", "utime": "pl", "touch": "php jl rb", "system": "pl php rb awk r", "exec": "pl php rb py", "eval": "py js rb pl php", "spew": "pl", "write_file": "pl",
		"popen": "php", "open": "py pl rb jl r", "spawn": "js rb", "del": "js", "save": "r", "cat": "r", "write": "r jl", "sink": "r", "pdf": "r", "png": "r", "dump": "r", "file": "r", "shell": "r", "path": "pl", "rmtree": "pl py", "mkpath": "pl jl", "compile": "py", "tempnam": "php", "mkfifo": "pl php", "Function": "js", "error_log": "php", "rcopy": "pl", "fcopy": "pl", "readpipe": "pl", "lchown": "php", "chgrp": "php",
	}
})
