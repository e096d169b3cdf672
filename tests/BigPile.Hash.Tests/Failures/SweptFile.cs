using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Files;
using BigPile.Hash.Checking;

namespace BigPile.Hash.Tests.Failures;

/// <summary>How a swept file was left.</summary>
public enum SweptEnding
{
    Closed,
    Killed,
    PowerCut,

    /// <summary>Killed when a hard synchronization had returned from the device, and the head did not say so.</summary>
    KilledInSynchronize,

    /// <summary>Killed before all was removed.</summary>
    KilledInClear,

    /// <summary>Killed when it was open, and once more at the end of the recovery.</summary>
    KilledInRecovery,
}

/// <summary>A small database whose records were replaced and removed behind the last hard synchronization, and what it holds.</summary>
internal sealed class SweptFile
{
    internal const string Silent = "SILENT";

    private const int Records = 90;
    private const int MostBytes = 28 << 10; // small enough that the file does not allocate space in advance

    private static readonly Guid Boot = new(1, 2, 3, new byte[8]);

    private readonly string _path;
    private readonly SweptEnding _ending;
    private readonly Dictionary<int, byte[]> _synchronized = [];
    private readonly Dictionary<int, byte[]> _now;
    private HashDatabase? _inSynchronize;
    private byte[]? _bytes;

    internal SweptFile(string path, SweptEnding ending)
    {
        (_path, _ending) = (path, ending);
        var options = new HashDatabaseOptions { Tuning = Some.FewBuckets, MaxFileSize = MostBytes, BootId = Boot };
        using var watch = new CrashPointScope<HashCrashPoint>(Pass);
        using HashDatabase database = HashDatabase.Open(path, options);
        for (int i = 0; i < Records; i++)
            database.Set(Some.Key(i), _synchronized[i] = Some.Bytes(i, i * 7 % 30));
        database.Set(Some.Key(3), _synchronized[3] = Some.Bytes(3, 700));
        _now = new(_synchronized);
        _inSynchronize = ending == SweptEnding.KilledInSynchronize ? database : null;
        database.Synchronize();
        if (ending != SweptEnding.KilledInSynchronize)
            Change(database);
        if (ending == SweptEnding.KilledInClear)
            database.Clear();
        if (ending is SweptEnding.Killed or SweptEnding.PowerCut or SweptEnding.KilledInRecovery)
            _bytes = PileFiles.ReadShared(path);
        database.Close();
        _bytes ??= File.ReadAllBytes(path);
        if (ending != SweptEnding.KilledInRecovery)
            return;
        File.WriteAllBytes(path, _bytes);
        HashDatabase.Open(path, options).Dispose();
    }

    /// <summary>The file.</summary>
    internal byte[] Bytes => _bytes!;

    private void Pass(HashCrashPoint window)
    {
        if (window is HashCrashPoint.RecoveryMarked or HashCrashPoint.ClearStated)
            _bytes = PileFiles.ReadShared(_path);
        if (window != HashCrashPoint.SyncedBeforeHead || _inSynchronize is not { } database)
            return;
        _inSynchronize = null;
        Change(database);
        _bytes = PileFiles.ReadShared(_path);
    }

    private void Change(HashDatabase database)
    {
        for (int i = 0; i < Records; i += 7)
            database.Set(Some.Key(i), _now[i] = Some.Bytes(i + 1_000, 20 + i % 5));
        for (int i = 1; i < Records; i += 8)
            Assert.True(database.Remove(Some.Key(i)) && _now.Remove(i));
        for (int i = Records; i < Records + 5; i++)
            database.Set(Some.Key(i), _now[i] = Some.Bytes(i, 11));
    }

    /// <summary>Opens other bytes in its place, and says in a word what came of it.</summary>
    internal string Use(BlockFileKind kind, byte[] bytes)
    {
        File.WriteAllBytes(_path, bytes);
        HashDatabase database;
        try
        {
            Guid boot = _ending == SweptEnding.PowerCut ? new Guid(4, 5, 6, new byte[8]) : Boot;
            var options = new HashDatabaseOptions { FileKind = kind, BootId = boot, Mode = FileMode.Open };
            if (kind == BlockFileKind.MappedParallel)
                options = options with { MaxRecoveredAtOnce = Records / 4 };
            database = HashDatabase.Open(_path, options);
        }
        catch (HashDatabaseCorruptException)
        {
            return bytes.AsSpan().SequenceEqual(File.ReadAllBytes(_path)) ? "refused" : $"{Silent}: refused, and changed";
        }
        using (database)
            return Use(database);
    }

    private string Use(HashDatabase database)
    {
        int met = 0;
        int wrong = 0;
        int there = 0;
        for (int i = 0; i < Records + 5; i++)
        {
            (bool isMet, bool isThere) = TryRead(database, i, ref wrong);
            met += isMet ? 1 : 0;
            there += isThere ? 1 : 0;
        }
        try
        {
            wrong += there == database.Count(record => IsRight(Some.NumberOf(record.Key.Span), record.Value.ToArray())) ? 0 : 1;
        }
        catch (HashDatabaseCorruptException)
        {
            met++;
        }
        bool isCounted = database.Recovery is { TornRecords: not 0 } or { DamagedRecords: not 0 };
        if (met != 0 && database.Verify().IsSound)
            return $"{Silent}: met, and called sound";
        return wrong != 0 ? isCounted ? "counted" : $"{Silent}: lacking or wrong" : met != 0 ? "met" : isCounted ? "counted" : "right";
    }

    private (bool IsMet, bool IsThere) TryRead(HashDatabase database, int key, ref int wrong)
    {
        bool isThere = false;
        bool isMet = false;
        try
        {
            byte[]? value = database.Get(Some.Key(key));
            isThere = value != null;
            wrong += IsRight(key, value) ? 0 : 1;
            wrong += database.Contains(Some.Key(key)) == isThere ? 0 : 1;
        }
        catch (HashDatabaseCorruptException)
        {
            isMet = true;
        }
        return (isMet, isThere);
    }

    // Behind a power cut what was changed since the synchronization may be as it was then; each record of a clear is there or not.
    private bool IsRight(int key, byte[]? value) =>
        AreEqual(value, _now.GetValueOrDefault(key)) || (_ending == SweptEnding.KilledInClear && value == null)
        || (_ending == SweptEnding.PowerCut && AreEqual(value, _synchronized.GetValueOrDefault(key)));

    private static bool AreEqual(byte[]? one, byte[]? other) =>
        one == null || other == null ? one == other : one.AsSpan().SequenceEqual(other);
}
