package runners

// buildDaemons are the servers that build tools leave behind on purpose, for whatever command comes next, by the names that
// package process looks for: of the executable or, for a program of java, node or dotnet, of an argument. A run may have
// started one, directly or not; it is left alone and noted. Nx starts none where CI is set, as it is in a run.
//
// Gradle: https://docs.gradle.org/current/userguide/gradle_daemon.html; Kotlin's compiler below it; Bazel:
// https://bazel.build/run/client-server; sccache: https://github.com/mozilla/sccache; Watchman:
// https://facebook.github.io/watchman/docs/cli-options; .NET's compiler and build nodes:
// https://learn.microsoft.com/dotnet/core/tools/dotnet-build-server.
func buildDaemons() []string {
	return []string{
		"VBCSCompiler", "VBCSCompiler.dll", "MSBuild.dll",
		"bazel", "blaze",
		"org.gradle.launcher.daemon.bootstrap.GradleDaemon", "org.jetbrains.kotlin.daemon.KotlinCompileDaemon",
		"sccache", "watchman",
	}
}
