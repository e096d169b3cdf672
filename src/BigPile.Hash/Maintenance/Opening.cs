using System;
using System.Diagnostics;
using System.IO;
using BigPile.Files;
using BigPile.Hash.Access;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Memory;

namespace BigPile.Hash.Maintenance;

/// <summary>Opens a database: creates it, takes it over as it was closed, or recovers it.</summary>
internal sealed class Opening
{
    /// <summary>The suffix of a file that is being created or rebuilt.</summary>
    internal const string RebuildSuffix = ".rebuild";

    private readonly HashDatabaseOptions _options;
    private readonly IBlockFile _block;
    private readonly SeqLockStripes _stripes = new();
    private readonly Guid _bootId;
    private readonly long _began = Stopwatch.GetTimestamp();

    private Opening(HashDatabaseOptions options, IBlockFile block)
    {
        _options = options;
        _block = block;
        _bootId = BootIdOf(options);
    }

    internal static (DatabaseState Database, Head Head, HashRecovery Found) Open(string path, HashDatabaseOptions options)
    {
        HashTuning tuning = options.Tuning.Checked();
        if (new FileInfo(path) is { LinkTarget: not null } link)
            path = link.ResolveLinkTarget(returnFinalTarget: true)?.FullName ?? path; // a rebuild must replace the file, not the link
        if (!options.IsReadOnly && options.Mode != FileMode.Open && !Path.Exists(path)
            && NewFile.TryMake(path, options, tuning) is { } made)
        {
            return DisposeOnFailure(made.Block, () => new Opening(options, made.Block).New(made.Head));
        }
        FileMode mode = options.Mode == FileMode.Create ? FileMode.Create : FileMode.Open;
        IBlockFile block = BlockFile.Open(options.FileKind, path, FileOptionsOf(options, mode));
        return DisposeOnFailure(block, () => new Opening(options, block).Run(tuning));
    }

    private static T DisposeOnFailure<T>(IBlockFile block, Func<T> open)
    {
        try
        {
            return open();
        }
        catch
        {
            block.Dispose();
            throw;
        }
    }

    internal static void DeleteRebuilt(string path)
    {
        if (Directory.Exists(path))
            throw new IOException($"'{path}' is a directory, and a rebuild of the database needs the name. Rename it or remove it.");
        File.Delete(path);
    }

    internal static BlockFileOptions FileOptionsOf(HashDatabaseOptions options, FileMode mode) => new()
    {
        ReadOnly = options.IsReadOnly,
        Mode = mode,
        MaxSize = options.MaxFileSize,
        Hook = options.Hook,
    };

    internal static Guid BootIdOf(HashDatabaseOptions options) => options.BootId ?? BootClock.Current;

    /// <summary>How the last process left the file.</summary>
    internal static HashEnding EndingOf(FileState? state, Guid bootId)
    {
        if (state is not { } known)
            return HashEnding.PowerCut;
        bool isSameBoot = BootClock.IsSame(known.BootId, bootId);
        if (known.Phase == FilePhase.Closed && (known.IsHard || isSameBoot))
            return HashEnding.Closed;
        return isSameBoot && known.Phase != FilePhase.Closed ? HashEnding.Killed : HashEnding.PowerCut;
    }

    private (DatabaseState, Head, HashRecovery) Run(HashTuning tuning)
    {
        bool restores = _options.Restore == HashRestoreMode.AsFarAsSound;
        if (_options.Mode == FileMode.Create || (restores && Head.IsBlank(_block)))
            return Empty(tuning);
        (FileLayout layout, FileState? state) = restores ? Head.Restore(_block) : Head.Read(_block);
        HashEnding ending = EndingOf(state, _bootId);
        var store = new RecordStore(new RecordFile(_block, layout), _options);
        var head = new Head(_block, layout, state ?? new FileState { WasEverHard = true });
        if (_options.IsReadOnly)
            return ReadOnly(store, head, ending);
        var inventory = new Inventory(store.File);
        bool opensClosed = ending == HashEnding.Closed && !restores; // restoring reads every record, even if none is missing
        if (opensClosed && inventory.FindFault(state!.Value) is { } fault)
            throw Refused(fault);
        DeleteRebuilt(_block.Path + RebuildSuffix);
        Recovery? recovery = null;
        if (opensClosed)
            OpenClosed(store, inventory, state!.Value);
        else if (state is { Phase: FilePhase.Clearing } cleared)
            FinishClear(store, cleared);
        else
            recovery = Recover(store, head, state, ending != HashEnding.Killed);
        BeginWriting(store, head, state?.WasEverHard ?? true, ending == HashEnding.Killed ? recovery : null);
        HashRecovery found = Found(store, ending, recovery);
        store.File.CacheBuckets();
        return (new DatabaseState(store, _options, _stripes), head, found with
        {
            Records = _stripes.Records, Duration = Stopwatch.GetElapsedTime(_began),
        });
    }

    private (DatabaseState, Head, HashRecovery) Empty(HashTuning tuning)
    {
        DeleteRebuilt(_block.Path + RebuildSuffix);
        var head = Head.Make(_block, tuning, _bootId);
        _block.Synchronize(hard: !_options.Temporary);
        return New(head);
    }

    private (DatabaseState, Head, HashRecovery) New(Head head)
    {
        var store = new RecordStore(new RecordFile(_block, head.Layout), _options);
        Debug.Assert(store.File.Extents.End == head.Layout.AreaStart, "A new file has no extents.");
        store.File.CacheBuckets();
        var found = new HashRecovery(HashEnding.New, 0, 0, 0, 0, Stopwatch.GetElapsedTime(_began));
        return (new DatabaseState(store, _options, _stripes), head, found);
    }

    // Nothing is written. After a kill all chains are valid, except when a recovery or a clear was running.
    private (DatabaseState, Head, HashRecovery) ReadOnly(RecordStore store, Head head, HashEnding ending)
    {
        bool acceptsDamage = _options.Restore == HashRestoreMode.ReadOnly;
        if (!acceptsDamage && (ending == HashEnding.PowerCut || head.State.Phase is FilePhase.Recovering or FilePhase.Clearing))
        {
            throw new HashDatabaseException(
                $"'{_block.Path}' was not closed, and is to be recovered. Open it once without HashDatabaseOptions.ReadOnly.");
        }
        string? fault = ending == HashEnding.Closed ? new Inventory(store.File).FindFault(head.State) : null;
        if (fault != null && !acceptsDamage)
            throw Refused(fault);
        store.File.CacheBuckets();
        bool isRight = ending == HashEnding.Closed && fault == null;
        long records = isRight ? head.State.Records : Chains.Count(store.File, toleratesDamage: acceptsDamage);
        _stripes[0].Records = records;
        long damaged = fault != null ? Math.Max(head.State.Records - records, 1) : 0;
        var found = new HashRecovery(ending, records, 0, damaged, store.File.Extents.End, Stopwatch.GetElapsedTime(_began));
        return (new DatabaseState(store, _options, _stripes), head, found);
    }

    private HashDatabaseCorruptException Refused(string fault) => new(
        $"'{_block.Path}' is damaged: {fault}. Nothing was changed, and HashDatabase.Verify says where. "
        + HashDatabaseCorruptException.RemedyFirst);

    private Recovery Recover(RecordStore store, Head head, FileState? state, bool isPowerCut)
    {
        var recovery = new Recovery(store, head, state, _stripes, isPowerCut, _options.MaxRecoveredAtOnce);
        recovery.Run();
        return recovery;
    }

    private void OpenClosed(RecordStore store, Inventory inventory, FileState state)
    {
        inventory.FreeRest(store.PendingFrees);
        ContinueAfter(store, state);
    }

    // The device must have the dead marks before it loses what outdates these records, and must have lost everything before the header says
    // "open".
    private void FinishClear(RecordStore store, FileState state)
    {
        if (state.WasEverHard)
            _block.Synchronize(hard: true);
        store.File.CutToBuckets();
        store.File.Extents.Reset(store.File.Layout.AreaStart);
        if (state.WasEverHard)
            _block.Synchronize(hard: true);
        ContinueAfter(store, state);
    }

    private void ContinueAfter(RecordStore store, FileState state)
    {
        for (int i = 0; i < SeqLockStripes.Count; i++)
            _stripes[i].Sequence = state.LastSequence;
        _stripes[0].Records = state.Records;
        store.SyncedSequence = state.WasEverHard ? state.LastSequence : 0;
    }

    // The header on the device must not say "closed" once a record has changed. After a kill the durable record count is kept, minus what
    // was found missing, since that was reported.
    private void BeginWriting(RecordStore store, Head head, bool wasEverHard, Recovery? ofKill)
    {
        Debug.Assert(store.File.Extents.End == _block.Size, "The area ends where the file does.");
        head.Write(new FileState
        {
            Counter = head.State.Counter,
            Phase = FilePhase.Open,
            WasEverHard = wasEverHard,
            BootId = _bootId,
            SyncedSequence = store.SyncedSequence,
            Records = ofKill != null ? ofKill.SynchronizedRecords : store.SyncedSequence != 0 ? _stripes.Records : 0,
        });
        if (wasEverHard && ofKill == null)
            _block.Synchronize(hard: true);
    }

    private static HashRecovery Found(RecordStore store, HashEnding ending, Recovery? recovery) => new(
        ending, 0, recovery?.TornRecords ?? 0, recovery?.DamagedRecords ?? 0, store.File.Extents.End, default);
}
