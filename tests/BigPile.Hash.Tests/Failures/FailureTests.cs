using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Files;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.Failures;

/// <summary>Each operation on the file fails in turn: the database works on or says what is wrong, and comes back in one of two states.</summary>
public sealed class FailureTests(ITestOutputHelper output) : IDisposable
{
    private static readonly Func<string, Exception>[] Errors =
    [
        static path => new IOException($"'{path}': input/output error.", 5),
        static path => new IOException($"'{path}': no space left on device.", 28),
        static path => new UnauthorizedAccessException($"'{path}': permission denied."),
    ];

    private readonly TemporaryDirectory _temporary = new();

    public static TheoryData<BlockFileKind> Kinds => [.. BlockFile.Kinds];

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Each_failure_leaves_the_old_or_the_new(BlockFileKind kind)
    {
        var failed = new Dictionary<FileOperation, int>();
        int variants = TestLeg.IsLong ? Errors.Length * 2 : 1;
        int runs = 0;
        for (int variant = 0; variant < variants; variant++)
        {
            for (int position = 1; ; position++)
            {
                int choice = TestLeg.IsLong ? variant : position;
                FileOperation? operation = RunWithFailureAt(kind, position, Errors[choice % Errors.Length], choice / Errors.Length % 2 != 0);
                if (operation == null)
                    break;
                failed[operation.Value] = failed.GetValueOrDefault(operation.Value) + 1;
                runs++;
            }
        }
        output.WriteLine($"{runs} operations failed in turn: {string.Join(", ", failed.Select(static pair => $"{pair.Key} {pair.Value}"))}");
        Assert.Contains(FileOperation.Sync, failed.Keys);
        Assert.Contains(FileOperation.Rename, failed.Keys);
    }

    // Where the n-th operation fails: which it was, and null when there are fewer.
    private FileOperation? RunWithFailureAt(BlockFileKind kind, int position, Func<string, Exception> error, bool isHalfDone)
    {
        string directory = Path.Combine(_temporary.Path, "run");
        Directory.CreateDirectory(directory);
        string path = Path.Combine(directory, "database");
        var hook = new FailingOperations { Error = error };
        var options = new HashDatabaseOptions { FileKind = kind, Tuning = Some.FewBuckets, Hook = hook };
        var script = new FailureScript($"{kind}, position {position}, {error("x").Message}{(isHalfDone ? ", half done" : "")}");
        hook.Arm(position, isHalfDone);
        script.Run(() => HashDatabase.Open(path, options), () => hook.Failed);
        FileOperation? failed = hook.Failed;
        hook.Disarm();
        script.CheckLeft(path, Path.Combine(directory, "killed"), options with { Hook = null });
        Directory.Delete(directory, recursive: true);
        return failed;
    }
}
