using System.IO;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Hash.Tests;

/// <summary>A temporary database waits for no device, and else is one like others.</summary>
public sealed class TemporaryTests
{
    [Theory]
    [InlineData(FileMode.OpenOrCreate, false)]
    [InlineData(FileMode.OpenOrCreate, true)]
    [InlineData(FileMode.Create, true)]
    public void Only_a_database_that_is_not_temporary_is_synchronized_when_made_and_rebuilt(FileMode mode, bool isTemporary)
    {
        using var directory = new TemporaryDirectory();
        var calls = new Synchronizations();
        string path = Path.Combine(directory.Path, "hash");
        if (mode == FileMode.Create)
            HashDatabase.Open(path).Dispose(); // it is there, and is emptied
        var options = new HashDatabaseOptions { Mode = mode, Temporary = isTemporary, Hook = calls };
        using HashDatabase database = HashDatabase.Open(path, options);
        database.Set([1], [2]);
        database.Rebuild();
        Assert.Equal(isTemporary, calls.Count == 0);
        Assert.Equal([2], database.Get([1]));
        Assert.Empty(database.Verify().Problems);
    }

    private sealed class Synchronizations : IFileHook
    {
        private int _count;

        internal int Count => _count;

        public void Before(FileOperation operation, string path)
        {
            if (operation == FileOperation.Sync)
                Interlocked.Increment(ref _count);
        }

        public void After(FileOperation operation, string path)
        {
        }
    }
}
