using System;
using System.Diagnostics;
using System.IO;
using BigPile.Files;
using BigPile.Hash.Access;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Hash.Space;
using BigPile.Memory;

namespace BigPile.Hash.Upkeep;

/// <summary>Opens a file as a database: makes it, takes it as it was closed, or recovers it.</summary>
internal sealed class Opening
{
    /// <summary>What a rebuilt file has behind its name until it takes the old one's place.</summary>
    internal const string RebuildSuffix = ".rebuild";

    private readonly HashDatabaseOptions _options;
    private readonly IBlockFile _block;
    private readonly Stripes _stripes = new();
    private readonly Guid _bootId;
    private readonly long _began = Stopwatch.GetTimestamp();

    private Opening(HashDatabaseOptions options, IBlockFile block)
    {
        _options = options;
        _block = block;
        _bootId = BootIdOf(options);
    }

    internal static (Session Session, Head Head, HashRecovery Found) Open(string path, HashDatabaseOptions options)
    {
        HashTuning tuning = options.Tuning.Checked();
        if (new FileInfo(path) is { LinkTarget: not null } link)
            path = link.ResolveLinkTarget(returnFinalTarget: true)?.FullName ?? path; // a rebuild replaces the file, and not the link
        IBlockFile block = BlockFile.Open(options.FileKind, path, FileOptionsOf(options, options.Mode));
        try
        {
            if (!options.ReadOnly)
                DeleteRebuilt(block.Path + RebuildSuffix);
            return new Opening(options, block).Run(tuning);
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
        ReadOnly = options.ReadOnly,
        Mode = mode,
        MaxSize = options.MaxFileSize,
        Hook = options.Hook,
    };

    internal static Guid BootIdOf(HashDatabaseOptions options) => options.BootId ?? BootClock.Current;

    /// <summary>How a file was left.</summary>
    internal static HashEnding EndingOf(FileState? state, Guid bootId)
    {
        if (state is not { } known)
            return HashEnding.PowerCut;
        bool isSameBoot = BootClock.IsSame(known.BootId, bootId);
        if (known.Phase == FilePhase.Closed && (known.IsHard || isSameBoot))
            return HashEnding.Closed;
        return isSameBoot && known.Phase != FilePhase.Closed ? HashEnding.Killed : HashEnding.PowerCut;
    }

    private (Session, Head, HashRecovery) Run(HashTuning tuning)
    {
        if (Head.IsMissing(_block) && !_options.ReadOnly && _options.Mode != FileMode.Open)
            return Make(tuning);
        (FileLayout layout, FileState? state) = Head.Read(_block);
        HashEnding ending = EndingOf(state, _bootId);
        var store = new RecordStore(new RecordFile(_block, layout), _options);
        var head = new Head(_block, layout, state ?? new FileState { WasEverHard = true });
        if (_options.ReadOnly)
            return ReadOnly(store, head, ending);
        long torn = 0;
        if (ending != HashEnding.Closed || !TryTakeRooms(store, state!.Value))
        {
            ending = ending == HashEnding.Closed ? HashEnding.PowerCut : ending; // it is not what its head says
            torn = Recover(store, head, state, ending == HashEnding.PowerCut);
        }
        BeginWriting(store, head, state, ending);
        store.File.CacheBuckets();
        return (new Session(store, _options, _stripes), head, Found(store, ending, torn));
    }

    private (Session, Head, HashRecovery) Make(HashTuning tuning)
    {
        var head = Head.Make(_block, tuning, _bootId);
        _block.Synchronize(hard: true); // so that a power cut leaves a database, if an empty one
        var store = new RecordStore(new RecordFile(_block, head.Layout), _options);
        store.File.CacheBuckets();
        return (new Session(store, _options, _stripes), head, Found(store, HashEnding.New, 0));
    }

    // Nothing is written: after a kill all chains are right, but those that a recovery was making.
    private (Session, Head, HashRecovery) ReadOnly(RecordStore store, Head head, HashEnding ending)
    {
        if (ending == HashEnding.PowerCut || head.State.Phase == FilePhase.Recovering)
        {
            throw new HashDatabaseException(
                $"'{_block.Path}' was not closed, and is to be recovered. Open it once without HashDatabaseOptions.ReadOnly.");
        }
        store.File.CacheBuckets();
        _stripes[0].Records = ending == HashEnding.Closed ? head.State.Records : Chains.Count(store.File);
        return (new Session(store, _options, _stripes), head, Found(store, ending, 0));
    }

    private long Recover(RecordStore store, Head head, FileState? state, bool isPowerCut)
    {
        // It keeps the start that it was written in: ended itself, it begins again as what it is.
        head.Write(head.State with { Phase = FilePhase.Recovering, BootId = isPowerCut ? Guid.Empty : _bootId });
        for (int i = 0; i < Stripes.Count; i++)
            _stripes[i] = default;
        var recovery = new Recovery(store, _stripes, isPowerCut, state);
        recovery.Run();
        return recovery.TornRecords;
    }

    // Of a file that was closed: all rooms that are not marked dead are of records that are linked.
    private bool TryTakeRooms(RecordStore store, FileState state)
    {
        RecordFile file = store.File;
        if (_block.Size % FileLayout.HeadBytes != 0)
            return false;
        var scanner = new RoomScanner(file, file.Stock.End);
        long records = 0;
        for (int stripe = 0; scanner.MoveNext(); stripe = (stripe + 1) % Stripes.Count)
        {
            if (scanner.IsRecord && scanner.Head.Word.IsLive)
                records++;
            else if (scanner.IsRecord)
                store.Dead.Bury(stripe, new Room(scanner.Offset, scanner.Bytes));
            else
                file.Stock.Give(stripe, new Room(scanner.Offset, scanner.Bytes));
        }
        if (records != state.Records)
        {
            file.Stock.Reset(file.Stock.End);
            return false;
        }
        for (int i = 0; i < Stripes.Count; i++)
            _stripes[i].Sequence = state.LastSequence;
        _stripes[0].Records = records;
        store.SyncedSequence = state.WasEverHard ? state.LastSequence : 0;
        return true;
    }

    // What the device has of the head must not say that the file is closed once the first record has changed.
    private void BeginWriting(RecordStore store, Head head, FileState? state, HashEnding ending)
    {
        bool wasEverHard = state?.WasEverHard ?? true;
        head.Write(new FileState
        {
            Counter = head.State.Counter,
            Phase = FilePhase.Open,
            WasEverHard = wasEverHard,
            BootId = _bootId,
            SyncedSequence = store.SyncedSequence,
        });
        if (wasEverHard && ending != HashEnding.Killed)
            _block.Synchronize(hard: true);
    }

    private HashRecovery Found(RecordStore store, HashEnding ending, long torn) => new(
        ending, _stripes.Records, torn, ending == HashEnding.New || _options.ReadOnly ? 0 : store.File.Stock.End,
        Stopwatch.GetElapsedTime(_began));
}
