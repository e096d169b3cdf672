using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Files;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.Failures;

/// <summary>Each operation on the file fails: the database works on or says what is wrong, and comes back in one of two states.</summary>
public sealed class FailureTests(ITestOutputHelper output) : IDisposable
{
    private static readonly Func<string, Exception>[] Errors =
    [
        static path => new IOException($"'{path}': input/output error.", 5),
        static path => new IOException($"'{path}': no space left on device.", 28),
        static path => new UnauthorizedAccessException($"'{path}': permission denied."),
    ];

    private readonly ScratchDirectory _temporary = new();

    public static TheoryData<BlockFileKind> Kinds => [.. BlockFile.Kinds];

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Each_failure_leaves_the_old_or_the_new(BlockFileKind kind)
    {
        var failed = new Dictionary<FileOperation, int>();
        foreach (FileOperation operation in Enum.GetValues<FileOperation>())
        {
            int runs = RunAll(kind, operation);
            if (runs != 0)
                failed[operation] = runs;
        }
        output.WriteLine($"failed in turn: {string.Join(", ", failed.Select(static pair => $"{pair.Key} {pair.Value}"))}");
        FileOperation[] certain = [FileOperation.Sync, FileOperation.SyncDirectory, FileOperation.Allocate, FileOperation.Rename];
        Assert.All(certain, operation => Assert.Contains(operation, failed.Keys));
    }

    // Which read or write is the n-th depends on how keys meet in buckets; of those the normal leg takes fewer and fewer.
    private int RunAll(BlockFileKind kind, FileOperation operation)
    {
        bool isMany = operation is FileOperation.Read or FileOperation.Write && !TestLeg.IsLong;
        int runs = 0;
        for (int position = 1; ; position += isMany ? 1 + position / 2 : 1)
        {
            int choice = runs % (Errors.Length * 2);
            for (int variant = 0; variant < (TestLeg.IsLong ? Errors.Length * 2 : 1); variant++, choice++)
            {
                Func<string, Exception> error = Errors[choice % Errors.Length];
                if (!RunWithFailureAt(kind, operation, position, error, choice / Errors.Length % 2 != 0))
                    return runs;
                runs++;
            }
        }
    }

    // Where the n-th operation of a sort fails: whether there was one.
    private bool RunWithFailureAt(
        BlockFileKind kind, FileOperation operation, int position, Func<string, Exception> error, bool isHalfDone)
    {
        string directory = Path.Combine(_temporary.Root, "run");
        Directory.CreateDirectory(directory);
        string path = Path.Combine(directory, "database");
        var hook = new FailingOperations { Error = error, Counts = counted => counted == operation };
        var options = new HashDatabaseOptions { FileKind = kind, Tuning = Some.FewBuckets, Hook = hook };
        var script = new FailureScript(
            $"{kind}, {operation} {position}, {error("x").Message}{(isHalfDone ? ", half done" : "")}", () => hook.Failed != null);
        hook.Arm(position, isHalfDone);
        script.Run(() => HashDatabase.Open(path, options));
        bool hasFailed = hook.Failed != null;
        hook.Disarm();
        script.CheckLeft(path, Path.Combine(_temporary.Root, "killed"), options with { Hook = null });
        Directory.Delete(directory, recursive: true);
        return hasFailed;
    }
}
