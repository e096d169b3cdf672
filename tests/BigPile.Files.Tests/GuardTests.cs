using System;
using System.IO;

namespace BigPile.Files.Tests;

/// <summary>The memory of a file that moves is kept while others read it, and that is needed.</summary>
public sealed class GuardTests : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [InlineData(BlockFileKind.MappedParallel)]
    [InlineData(BlockFileKind.MappedAtomic)]
    public void A_file_that_moves_under_its_readers_stays_readable(BlockFileKind kind) =>
        Assert.Equal((0, "whole"), Run(kind, "guarded"));

    /// <summary>The control: the same run without the guard reads what is no longer mapped, and the process ends by it.</summary>
    [Theory]
    [InlineData(BlockFileKind.MappedParallel)]
    [InlineData(BlockFileKind.MappedAtomic)]
    public void Without_the_guard_the_process_dies(BlockFileKind kind)
    {
        (int exitCode, string output) result = (0, "");
        for (int run = 0; run < 20 && result.exitCode == 0; run++)
            result = Run(kind, "unguarded");
        Assert.NotEqual(0, result.exitCode);
        Assert.DoesNotContain("whole", result.output, StringComparison.Ordinal);
    }

    private (int ExitCode, string Output) Run(BlockFileKind kind, string guard)
    {
        string path = Path.Combine(_temporary.Path, "file");
        File.Delete(path);
        (int exitCode, string output) = Child.Run("grow", BlockFile.NameOf(kind), guard, path);
        return (exitCode, output.Trim());
    }
}
