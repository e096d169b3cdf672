using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Hash.Tests.Failures;

/// <summary>Some of all operations, and what each key may have behind those that failed.</summary>
internal sealed class FailureScript(string name, Func<bool> hasFailed)
{
    private const int Keys = 24;

    // None: not there.
    private readonly List<byte[]?>[] _candidates = [.. Enumerable.Range(0, Keys).Select(static _ => new List<byte[]?> { null })];
    private HashDatabase? _database;
    private Func<HashDatabase> _open = static () => throw new InvalidOperationException();

    /// <summary>Opens a database and works with it, whatever fails.</summary>
    internal void Run(Func<HashDatabase> open)
    {
        _open = open;
        Try(() => _database = open());
        if (_database == null)
            Try(() => _database = open());
        if (_database == null)
            Fail("it can't be opened again");
        for (int i = 0; i < Keys; i++)
            Set(i, Some.Bytes(i, i * 40));
        Try(() => _database!.Synchronize());
        for (int i = 0; i < Keys; i += 3)
            Set(i, Some.Bytes(100 + i, i * 50));
        for (int i = 0; i < Keys; i += 4)
            Change(i, null, () => _database!.Remove(Some.Key(i)));
        Append(1, Some.Bytes(1, 1_200_000)); // the file grows
        Set(2, Some.Bytes(2, 100_000));
        CheckNow();
        Try(() => _database!.Synchronize());
        Try(() => _database!.Rebuild(new HashTuning { Buckets = 600 }));
        CheckNow();
        Set(3, Some.Bytes(3, 7));
        Clear();
        for (int i = 0; i < Keys; i += 5)
            Set(i, Some.Bytes(200 + i, 100));
        Try(() => _database!.Synchronize());
        Set(4, Some.Bytes(5, 5));
        CheckNow();
    }

    /// <summary>Checks what a kill would leave, closes the file, and checks what that leaves.</summary>
    internal void CheckLeft(string path, string killed, HashDatabaseOptions options)
    {
        PileFiles.Copy(Path.GetDirectoryName(path)!, killed);
        using (HashDatabase copy = HashDatabase.Open(Path.Combine(killed, Path.GetFileName(path)), options))
            Check(copy, "killed", narrows: false);
        Directory.Delete(killed, recursive: true);
        Try(_database!.Close);
        using HashDatabase again = HashDatabase.Open(path, options);
        Check(again, "opened again", narrows: true);
        for (int i = 0; i < Keys; i++)
            Assert.True(again.Set(Some.Key(i), Some.Bytes(i, 300)));
        Some.AssertHolds(again, Enumerable.Range(0, Keys).ToDictionary(static i => i, static i => Some.Bytes(i, 300)));
        Some.AssertSound(again);
    }

    private void Set(int key, byte[] value) => Change(key, value, () => _database!.Set(Some.Key(key), value));

    private void Append(int key, byte[] more)
    {
        byte[]? old = Narrow(key);
        Change(key, [.. old ?? [], .. more], () => _database!.Append(Some.Key(key), more));
    }

    private void Change(int key, byte[]? value, Action action)
    {
        if (Try(action))
            _candidates[key] = [value];
        else
            _candidates[key].Add(value);
    }

    private void Clear()
    {
        bool isDone = Try(() => _database!.Clear());
        for (int i = 0; i < Keys; i++)
        {
            if (isDone)
                _candidates[i].Clear();
            _candidates[i].Add(null);
        }
        if (!isDone && Record.Exception(() => _database!.Count) is ObjectDisposedException)
            _database = _open(); // what it left is for an opening to put right
    }

    // What is read once is so from then on.
    private byte[]? Narrow(int key)
    {
        byte[]? found = null;
        if (!Try(() => found = _database!.Get(Some.Key(key))) && !Try(() => found = _database!.Get(Some.Key(key))))
            return _candidates[key][^1];
        CheckOne(key, found, "open", narrows: true);
        return found;
    }

    private void CheckNow()
    {
        for (int i = 0; i < Keys; i++)
            Narrow(i);
    }

    private void Check(HashDatabase database, string where, bool narrows)
    {
        for (int i = 0; i < Keys; i++)
            CheckOne(i, database.Get(Some.Key(i)), where, narrows);
        HashVerification verification = database.Verify();
        if (!verification.IsSound)
            Fail($"{where}: {string.Join("; ", verification.Problems)}");
        Some.AssertAddsUp(database.GetStatistics());
    }

    private void CheckOne(int key, byte[]? found, string where, bool narrows)
    {
        if (!_candidates[key].Any(value => AreEqual(value, found)))
        {
            string expected = string.Join(" or ", _candidates[key].Select(static value => $"{value?.Length ?? -1}"));
            Fail($"{where}: key {key} has {found?.Length ?? -1} bytes in the place of {expected}");
        }
        if (narrows)
            _candidates[key] = [found];
    }

    private static bool AreEqual(byte[]? one, byte[]? other) =>
        one == null || other == null ? one == other : one.AsSpan().SequenceEqual(other);

    private bool Try(Action action)
    {
        try
        {
            action();
            return true;
        }
        catch (IOException)
        {
            if (!hasFailed())
                throw; // nothing was let fail
            return false;
        }
        catch (Exception e) when (e is not Xunit.Sdk.XunitException)
        {
            throw new InvalidOperationException($"{name}: {e.GetType().Name} is no failure of a device.", e);
        }
    }

    private void Fail(string what) => Assert.Fail($"{name}: {what}");
}
