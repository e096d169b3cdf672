using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory.Checking;

namespace BigPile.Caching;

/// <summary>Dropping tables.</summary>
public sealed partial class PileCache
{
    /// <summary>Drops a table with all its entries, and frees all that it took: blocks, index, name and id.</summary>
    /// <remarks>
    /// Running calls of the table end first; later ones throw <see cref="ObjectDisposedException"/>, also on instances obtained before. A
    /// table created with the name afterwards is a new, empty one. After a kill or a power cut the table is dropped, or as it was. Takes as
    /// long as removing all entries.
    /// </remarks>
    /// <param name="name">The table's name.</param>
    /// <returns>Whether there was such a table.</returns>
    /// <exception cref="InvalidOperationException">
    /// The cache is still recovering its entries; see <see cref="Readiness"/>. Or code that runs in a call of the pile calls this.
    /// </exception>
    /// <exception cref="PileStorageException">
    /// The catalog could not be written; the table is unchanged. If the device refuses to undo the write as well, which the message says,
    /// that is certain only after the next successful flush: a kill or a power cut before it may leave the table dropped.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public bool DropTable(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        PileRegions.ThrowIfInRegion();
        if (!Readiness.IsReady)
        {
            throw new InvalidOperationException(
                $"The table '{name}' can't be dropped while the cache is still finding its entries. Wait for "
                + "PileCache.Readiness.Completion.");
        }
        ulong floor = _clock.VersionAt(_clock.Now); // the clock is application code: read outside the locks
        lock (_dropping)
        {
            TableEngine? engine;
            lock (_lock)
            {
                ObjectDisposedException.ThrowIf(_disposed, this);
                if (!_engines.TryGetValue(name, out engine))
                    return false;
            }
            engine.CloseToDrop(); // waits for running calls, so outside of _lock
            FreeIdOf(engine, floor); // from here on a kill leaves a dropped table
            new TableDrop(engine).Complete();
            CrashPoints.Pass(CrashPoint.DropBeforeFiles);
            DeleteFilesOf(engine.Id); // last: until then the next opening finds what is left
            return true;
        }
    }

    private void FreeIdOf(TableEngine engine, ulong floor)
    {
        lock (_lock)
        {
            bool isFreed = false;
            try
            {
                _ids.Drop(engine.Id, Pile.Tables.Versions.Next(floor));
                _ids.Hold(engine.Id); // the id is not reused while its files exist
                isFreed = true;
            }
            finally
            {
                if (!isFreed)
                    engine.Reopen(); // the catalog is unchanged: so is the table
            }
            _ = _engines.Remove(engine.Name);
            _ = _hidden.Remove(engine.Name);
            foreach ((string Name, Type ValueType) typed in _tables.Keys.Where(typed => typed.Name == engine.Name).ToArray())
                _ = _tables.Remove(typed);
        }
    }

    // Files that can't be deleted now are deleted when the cache is next opened; until then the id is not reused.
    private void DeleteFilesOf(int id)
    {
        if (!_indexes.TryDelete(id))
            return;
        lock (_lock)
            _ids.Release(id);
    }

    // If the cache is disposed first, it leaves the files, and the next one continues.
    private void FinishDrops(IReadOnlyList<TableEngine> drops)
    {
        lock (_dropping)
        {
            foreach (TableEngine left in drops)
            {
                bool isDisposed;
                lock (_lock)
                    isDisposed = _disposed;
                if (isDisposed)
                {
                    left.Dispose();
                    continue;
                }
                new TableDrop(left).Complete();
                DeleteFilesOf(left.Id);
            }
        }
    }
}
