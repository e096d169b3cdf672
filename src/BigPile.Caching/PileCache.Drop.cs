using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>Dropping tables.</summary>
public sealed partial class PileCache
{
    /// <summary>
    /// Drops a table with all its entries, and gives back all that it took: blocks, index, name and place among the tables.
    /// </summary>
    /// <remarks>
    /// Calls of the table that run end first; later ones throw <see cref="ObjectDisposedException"/>, also where the table was got before.
    /// A table that is made with the name afterwards is another one, and empty. After a kill or a power cut the table is dropped, or is
    /// there as it was. Takes as long as the removal of all entries.
    /// </remarks>
    /// <param name="name">The table's name.</param>
    /// <returns>Whether there was such a table.</returns>
    /// <exception cref="InvalidOperationException">
    /// The cache is still finding its entries; see <see cref="Readiness"/>. Or the call comes from code that a call of the pile runs.
    /// </exception>
    /// <exception cref="PileStorageException">
    /// The catalog could not be written to; the table is as it was. Where the device does not even take that back, as the message says, it
    /// stays so only once the next flush has succeeded: a kill or a power cut before it may leave the table dropped.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public bool DropTable(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        CriticalRegion.ThrowIfInRegion();
        if (!Readiness.IsReady)
        {
            throw new InvalidOperationException(
                $"The table '{name}' can't be dropped while the cache is still finding its entries. Wait for "
                + "PileCache.Readiness.Completion.");
        }
        ulong floor = _clock.VersionAt(_clock.Now); // the application's clock is read under no lock
        lock (_dropping)
        {
            TableCore? core;
            lock (_lock)
            {
                ObjectDisposedException.ThrowIf(_disposed, this);
                if (!_cores.TryGetValue(name, out core))
                    return false;
            }
            core.CloseToDrop();
            FreeIdOf(core, floor);
            core.CompleteDrop();
            CrashPoints.Pass(CrashPoint.DropBeforeFiles);
            DeleteFilesOf(core.Id);
            return true;
        }
    }

    private void FreeIdOf(TableCore core, ulong floor)
    {
        lock (_lock)
        {
            bool isFreed = false;
            try
            {
                _ids.Drop(core.Id, Pile.Engine.Versions.Next(floor));
                _ids.Hold(core.Id); // nobody else gets its files while they are here
                isFreed = true;
            }
            finally
            {
                if (!isFreed)
                    core.Reopen();
            }
            _ = _cores.Remove(core.Name);
            _ = _hidden.Remove(core.Name);
            foreach ((string Name, Type ValueType) typed in _tables.Keys.Where(typed => typed.Name == core.Name).ToArray())
                _ = _tables.Remove(typed);
        }
    }

    // Files that can't be removed now go when the cache is opened next; until then nobody gets the id.
    private void DeleteFilesOf(int id)
    {
        if (!_indexes.TryDelete(id))
            return;
        lock (_lock)
            _ids.Release(id);
    }

    // A cache that is disposed before leaves the files, and the next one goes on.
    private void FinishDrops(IReadOnlyList<TableCore> drops)
    {
        lock (_dropping)
        {
            foreach (TableCore left in drops)
            {
                bool isDisposed;
                lock (_lock)
                    isDisposed = _disposed;
                if (isDisposed)
                {
                    left.Dispose();
                    continue;
                }
                left.CompleteDrop();
                DeleteFilesOf(left.Id);
            }
        }
    }
}
