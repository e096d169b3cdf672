using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using BigPile.Files;
using BigPile.Hash.Format;
using BigPile.Hash.Records;

namespace BigPile.Hash.Maintenance;

/// <summary>Verifies every byte of a file that does not change meanwhile.</summary>
internal sealed class Verifier(RecordFile file)
{
    private const int MostProblems = 100;

    private readonly ImmutableArray<string>.Builder _problems = ImmutableArray.CreateBuilder<string>();
    private readonly HashSet<ulong> _hashes = [];
    private long _sound;

    /// <summary>Verifies a file that was opened read-only.</summary>
    internal static HashVerification OfFile(IBlockFile block, Guid bootId)
    {
        try
        {
            (FileLayout layout, FileState? state) = Head.Read(block);
            var verifier = new Verifier(new RecordFile(block, layout));
            HashEnding ending = Opening.EndingOf(state, bootId);
            if (ending != HashEnding.Closed || state!.Value.Phase != FilePhase.Closed)
            {
                verifier.Report(0, $"the database was not closed ({ending}); opening it for writing recovers it");
                return verifier.Result();
            }
            if (!Head.HasCopy(block, layout))
                verifier.Report(FileLayout.CopyAt, "the copy of the head's first sector is another one");
            return verifier.Run(state.Value.Records, state.Value.LastSequence, mayWait: false);
        }
        catch (HashDatabaseException e)
        {
            return new HashVerification(0, block.Size, [e.Message]);
        }
    }

    /// <summary>Verifies all chains and extents.</summary>
    /// <param name="records">The expected number of records.</param>
    /// <param name="lastSequence">The highest valid sequence.</param>
    /// <param name="mayWait">Whether records outside of all chains may be waiting for a hard synchronization.</param>
    internal HashVerification Run(long records, long lastSequence, bool mayWait)
    {
        for (long bucket = 0; bucket < file.Layout.Buckets; bucket++)
            CheckChain(bucket, lastSequence);
        CheckExtents(mayWait);
        if (_sound != records)
            Report(0, $"the chains have {_sound:N0} sound records, and {records:N0} are counted");
        return Result();
    }

    private HashVerification Result() => new(_sound, file.Extents.End, _problems.ToImmutable());

    private void CheckChain(long bucket, long lastSequence)
    {
        var location = new RecordLocation { Offset = file.ReadLink(file.Layout.LinkOf(bucket)) };
        if (location.Offset == 0)
            return;
        Span<byte> buffer = stackalloc byte[RecordFile.BufferBytes];
        var cycle = default(CycleDetector);
        _hashes.Clear();
        for (; location.Offset != 0; location.Offset = location.Head.Next)
        {
            if (!file.TryReadHead(buffer, ref location))
            {
                Report(location.Offset, $"bucket {bucket:N0} leads there, and no record of this file begins there");
                return;
            }
            if (cycle.IsClosedBy(location.Offset))
            {
                Report(location.Offset, $"the chain of bucket {bucket:N0} comes back to it");
                return;
            }
            CheckRecord(bucket, buffer, location, lastSequence);
        }
    }

    private void CheckRecord(long bucket, ReadOnlySpan<byte> buffer, in RecordLocation location, long lastSequence)
    {
        ulong hash = KeyHash.Of(Chains.KeyOf(file, buffer, location), file.Layout.Seed);
        if (!location.Head.Word.IsLive)
            Report(location.Offset, $"it is in the chain of bucket {bucket:N0}, and says that it is dead");
        else if (!file.ReadValue(buffer, location, new byte[location.ValueLength]))
            Report(location.Offset, "the record does not match its checksum");
        else if (file.Layout.BucketOf(hash) != bucket)
            Report(location.Offset, $"it is in the chain of bucket {bucket:N0}, and belongs to {file.Layout.BucketOf(hash):N0}");
        else if (!file.IsSoundIn(bucket, buffer, location))
            Report(location.Offset, "the record does not match its tag");
        else if (location.Head.Sequence > lastSequence)
            Report(location.Offset, $"its sequence is {location.Head.Sequence:N0}, and the last one was {lastSequence:N0}");
        else if (!_hashes.Add(hash))
            Report(location.Offset, $"the chain of bucket {bucket:N0} has its key twice");
        else
            _sound++;
    }

    private void CheckExtents(bool mayWait)
    {
        long whole = 0;
        var scanner = new ExtentScanner(file, file.Extents.End);
        while (scanner.MoveNext())
        {
            if (!scanner.IsRecord)
                continue;
            if (scanner.Matches())
                whole++;
            else
                Report(scanner.Offset, "an extent holds a record that does not match its checksum");
        }
        if (!mayWait && whole != _sound)
            FindUnlinked();
    }

    private void FindUnlinked()
    {
        var scanner = new ExtentScanner(file, file.Extents.End);
        while (scanner.MoveNext())
        {
            if (!scanner.IsRecord || !scanner.Matches())
                continue;
            long bucket = file.Layout.BucketOf(KeyHash.Of(scanner.Key(), file.Layout.Seed));
            if (file.LinkTo(bucket, scanner.Offset).Link == 0)
                Report(scanner.Offset, "a record is in no chain");
        }
    }

    private void Report(long offset, string problem)
    {
        if (_problems.Count < MostProblems - 1)
            _problems.Add($"offset {offset:N0}: {problem}");
        else if (_problems.Count < MostProblems)
            _problems.Add("there are more problems");
    }
}
