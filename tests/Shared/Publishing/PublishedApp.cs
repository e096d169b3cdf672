using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;

namespace BigPile.Testing;

/// <summary>A program, published, with a pile that its runs share.</summary>
/// <param name="name">The name of its project.</param>
/// <param name="project">Its folder in the source tree.</param>
internal sealed class PublishedApp(string name, string project) : IDisposable
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(8);

    private readonly TemporaryDirectory _directory = new();

    private static string Configuration => new DirectoryInfo(AppContext.BaseDirectory).Name;

    private string File => OperatingSystem.IsWindows() ? name + ".exe" : name;

    /// <summary>The file to start.</summary>
    internal string Program => Path.Combine(_directory.Path, "published", File);

    public void Dispose() => _directory.Dispose();

    /// <summary>Publishes what was built, with no more than what the SDK has in it.</summary>
    internal void PublishBuilt(params string[] properties) =>
        Publish(["--no-build", "-p:EnableSingleFileAnalyzer=false", .. properties]);

    /// <summary>Builds and publishes apart from all other builds, with the packages that it takes.</summary>
    internal void PublishAnew(params string[] properties)
    {
        string artifacts = Path.Combine(SourceTree.Root, "artifacts/published", name);
        string former = Path.Combine(artifacts, "obj", name);
        if (Directory.Exists(former))
            Directory.Delete(former, recursive: true); // the SDK takes up what was trimmed there in another way
        Publish(
        [
            "-p:ArtifactsPath=" + artifacts, "-p:RunAnalyzers=false", "-p:UseSharedCompilation=false",
            "-p:TreatWarningsAsErrors=false", "-p:SuppressTrimAnalysisWarnings=true", .. properties,
        ]);
    }

    /// <summary>Runs it; with the verb <c>put</c> in the place of the pile that was there.</summary>
    /// <returns>What its lines say, by their first words.</returns>
    internal Dictionary<string, string> Run(string verb, params string[] more) => RunAt(Program, [verb, _directory.Pile, .. more]);

    /// <summary>The same by the program as it was built.</summary>
    internal Dictionary<string, string> RunBuilt(string verb) =>
        RunAt(Path.Combine(SourceTree.Root, "artifacts/bin", name, Configuration, File), [verb, _directory.Pile]);

    private static Dictionary<string, string> RunAt(string program, string[] arguments) =>
        Run(new ProcessStartInfo(program, arguments)).Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(static line => line.Split('\t')).ToDictionary(static line => line[0], static line => line[1]);

    private void Publish(string[] arguments) => Run(new ProcessStartInfo("dotnet",
    [
        "publish", Path.Combine(SourceTree.Root, project), "-c", Configuration, "-o", Path.GetDirectoryName(Program)!,
        "-nodeReuse:false", .. arguments,
    ]));

    private static string Run(ProcessStartInfo start)
    {
        start.RedirectStandardOutput = true;
        using Process process = Process.Start(start)!;
        string said = process.StandardOutput.ReadToEnd();
        Assert.True(process.WaitForExit(Timeout), "It did not end.");
        Assert.True(process.ExitCode == 0, said);
        return said;
    }
}
