using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Tables;

/// <summary>Keys of some tables; each has a thread that puts it, and most have another that removes them.</summary>
internal sealed unsafe partial class TableTarget : ITarget
{
    private readonly Journal _journal;
    private readonly Findings _findings;
    private readonly ArrayBufferWriter<byte> _value = new();

    internal TableTarget(PileCache cache, JournalTime time, Journal journal, Findings findings)
    {
        Tables = new TableSet(cache);
        Time = time;
        Rules = new KeyRules(journal, time);
        _journal = journal;
        _findings = findings;
        BeingPut = new int[journal.Pairs];
        for (int pair = 0; pair < BeingPut.Length; pair++)
            BeingPut[pair] = pair * Journal.KeysPerPair;
        LastPut = [.. BeingPut];
    }

    internal TableSet Tables { get; }

    internal Pile Pile => Tables.Cache.Pile;

    internal JournalTime Time { get; }

    internal KeyRules Rules { get; }

    /// <summary>The key that each pair's first thread puts, for the second to remove.</summary>
    internal int[] BeingPut { get; }

    /// <summary>The key that each pair's first thread put last, likewise.</summary>
    internal int[] LastPut { get; }

    public IWorker MakeWorker(int thread, ulong seed) =>
        thread % 2 == 0
            ? new PuttingWorker(this, _journal, _findings, thread, seed)
            : new RemovingWorker(this, _journal, _findings, thread, seed);

    public void Reconcile()
    {
        bool isAnyMarkOpen = Marks().Any(static mark => mark.IsInFlight);
        if (isAnyMarkOpen)
            CheckMarks();
        for (int i = 0; i < _journal.KeyCount; i++)
        {
            if (isAnyMarkOpen || _journal.KeyAt(i)->Put.IsInFlight || _journal.KeyAt(i)->Remove.IsInFlight)
                _ = CheckKey(i);
        }
        WithdrawMarks();
        CheckGrowth(mayBeUndone: false);
    }

    public void Verify()
    {
        if (_journal.Head->IsOtherBoot)
        {
            ReconcileOtherBoot();
            return;
        }
        CheckMarks();
        var present = new HashSet<int>();
        for (int i = 0; i < _journal.KeyCount; i++)
        {
            if (CheckKey(i))
                present.Add(i);
        }
        WithdrawMarks();
        CheckSums(present, isOtherBoot: false);
    }

    private void CheckGrowth(bool mayBeUndone)
    {
        for (int thread = 0; thread < _journal.Threads; thread++)
            new TableGrowth(this, _journal, _findings, thread).Check(mayBeUndone);
    }

    /// <summary>Removes a key, and states so in the journal.</summary>
    internal void RemoveKey(int key)
    {
        KeyRecord* record = _journal.KeyAt(key);
        var then = new EntryState { Begin = _journal.Tick() };
        record->Remove.Begin(then);
        then.Found = Tables.Of(key).Remove(key);
        then.End = _journal.Tick();
        if (then.Found)
            record->Found.Complete(then);
        record->Remove.Complete(then);
    }

    /// <summary>Before a put: keeps the one before if it is durable, and whether its removal is as well.</summary>
    internal void KeepFlushed(int key)
    {
        KeyRecord* record = _journal.KeyAt(key);
        EntryState last = record->Put.Last;
        long flushedUpTo = _journal.FlushedUpTo;
        if (last.End < flushedUpTo && last.End != record->Flushed.Last.End)
            record->Flushed.Complete(last with { Found = Rules.WhyGone(key, last with { ExpiresAt = 0 }, flushedUpTo).Length != 0 });
    }

    /// <summary>Compares one key with what its two threads did, while nobody changes it.</summary>
    private bool CheckKey(int key)
    {
        KeyRecord* record = _journal.KeyAt(key);
        _journal.Head->Compared++;
        if (record->Put.IsInFlight)
            _journal.AddOpenPut(
                key, new ObjectVersion { Revision = record->Put.Then.Revision, LengthBytes = record->Put.Then.LengthBytes });
        bool isFound = TryRead(key, out EntryInfo info);
        if (isFound)
            isFound = CheckFound(key, record, info);
        else
            CheckAbsent(key, record);
        if (record->Remove.IsInFlight)
            record->Remove.Withdraw();
        return isFound;
    }

    private bool CheckFound(int key, KeyRecord* record, EntryInfo info)
    {
        EntryState last = record->Put.Last;
        EntryState then = record->Put.Then;
        ulong* lastVersion = LastVersionOf(key);
        if (record->Put.IsInFlight && IsValue(key, then))
        {
            if (!then.KeepsVersion && info.Version <= *lastVersion)
                _findings.Wrong("versions went backwards", $"key {key}: {info.Version} after {*lastVersion}");
            *lastVersion = Math.Max(info.Version, *lastVersion);
            _journal.Head->FoundWhole++;
            record->Put.Complete(then with { Version = info.Version, ExpiresAt = 0, KeepsVersion = false, End = _journal.Tick() });
            return true;
        }
        if (!IsValue(key, last))
        {
            string found = ValueBytes.Describe(_value.WrittenSpan);
            _findings.Wrong("a key has a value that was not put last", $"{Describe(key)} after revision {last.Revision}: {found}");
            Forget(key, record);
            return false;
        }
        if (record->Put.IsInFlight)
        {
            _journal.Head->FoundAbsent++;
            record->Put.Withdraw();
        }
        if (last.Version != 0 && info.Version != last.Version)
            _findings.Wrong("an entry has another version", $"{Describe(key)}: {info.Version} instead of {last.Version}");
        string why = Rules.WhyGone(key, last);
        if (why.Length == 0)
            return true;
        _findings.Wrong(why, $"{Describe(key)} revision {last.Revision} version {info.Version}");
        Forget(key, record);
        return false;
    }

    private void CheckAbsent(int key, KeyRecord* record)
    {
        EntryState last = record->Put.Last;
        // A put in flight may have taken effect, and what it put may have gone with its tag, or with time, before the kill.
        bool mayBeGone = Rules.MayBeGone(key, last) || (record->Put.IsInFlight && Rules.MayBeGone(key, record->Put.Then));
        if (!mayBeGone)
            _findings.Lost("a key is not there", $"{Describe(key)} revision {last.Revision} version {last.Version}");
        KeepFlushed(key);
        record->Put.Complete(default);
    }

    private void Forget(int key, KeyRecord* record)
    {
        _ = Tables.Of(key).Remove(key);
        record->Put.Complete(default);
    }

    private bool TryRead(int key, out EntryInfo info)
    {
        _value.ResetWrittenCount();
        return Tables.Of(key).TryRead(key, _value, out info);
    }

    private ulong* LastVersionOf(int key) => &_journal.ThreadAt(TableSet.PairOf(key) * 2)->LastVersion;

    private static string Describe(int key) => $"key {key} ({TableSet.RoleOf(key)})";

    private bool IsValue(int key, EntryState state) =>
        state.Revision != 0 && _value.WrittenSpan.SequenceEqual(ValueBytes.Build(key, state.Revision, 0, state.LengthBytes));
}
