using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using BigPile.Files;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests;

/// <summary>Random operations on a database and a dictionary, in lock step; now and then it is opened anew by any kind.</summary>
public sealed class ModelTests(ITestOutputHelper output) : IDisposable
{
    private const int Keys = 400;
    private const long LiveLimit = 3 << 20;

    private readonly ScratchDirectory _scratch = new();
    private readonly Dictionary<int, byte[]> _model = [];
    private Random _random = new(0);
    private HashDatabase _database = null!;

    public void Dispose()
    {
        _database?.Dispose();
        _scratch.Dispose();
    }

    private string FilePath => _scratch.At("database");

    [Theory]
    [InlineData(HashUpdateMode.InPlace, 40)]
    [InlineData(HashUpdateMode.Appending, 41)]
    public void A_database_is_like_a_dictionary(HashUpdateMode mode, int seed)
    {
        seed = TestLeg.Seed(seed);
        output.WriteLine($"seed {seed}");
        _random = new Random(seed);
        Open(mode);
        for (int step = 0; step < TestLeg.Steps(6_000, 2_000_000); step++)
        {
            if (_random.Next(700) == 0)
                Open(mode);
            else if (_random.Next(500) == 0)
                Maintain();
            else
                Change(_random.Next(_random.Next(3) == 0 ? 20 : Keys));
            Assert.Equal(_model.Count, _database.Count);
            if (step % 10 == 0)
                _database.CheckInvariants();
        }
        Some.AssertHolds(_database, _model);
        Some.AssertSound(_database);
        output.WriteLine(_database.GetStatistics().ToString());
        _database.Dispose();
        Assert.True(HashDatabase.Verify(FilePath).IsSound);
    }

    private void Open(HashUpdateMode mode)
    {
        bool isFirst = _database == null;
        _database?.Dispose();
        _database = HashDatabase.Open(FilePath, new HashDatabaseOptions
        {
            FileKind = BlockFile.Kinds[_random.Next(BlockFile.Kinds.Length)],
            Tuning = new HashTuning { Buckets = 300, Alignment = 8 << _random.Next(4), OffsetWidth = 4 + _random.Next(2) * 4 },
            UpdateMode = mode,
        });
        Assert.Equal(isFirst ? HashEnding.New : HashEnding.Closed, _database.Recovery.Ending);
        Assert.Equal((_model.Count, 0L), (_database.Recovery.Records, _database.Recovery.TornRecords));
    }

    private void Maintain()
    {
        switch (_random.Next(8))
        {
            case 0:
                _database.Clear();
                _model.Clear();
                break;
            case 1:
                _database.Rebuild(_random.Next(2) == 0 ? null : new HashTuning { Buckets = 1 << _random.Next(13) });
                break;
            case 2:
                _database.Synchronize(hard: false);
                break;
            case < 5:
                _database.Synchronize();
                break;
            case 5:
                Some.AssertHolds(_database, _model);
                break;
            default:
                Some.AssertSound(_database);
                break;
        }
    }

    private void Change(int number)
    {
        byte[] key = Some.Key(number);
        byte[]? old = _model.GetValueOrDefault(number);
        byte[] value = Some.Bytes(_random.Next(), Some.Length(_random));
        switch (_random.Next(20))
        {
            case < 6:
                Assert.True(_database.Set(key, value));
                _model[number] = value;
                break;
            case 6:
                Assert.Equal(old == null, _database.Set(key, value, overwrite: false));
                _model.TryAdd(number, value);
                break;
            case < 10:
                Assert.Equal(_model.Remove(number), _database.Remove(key));
                break;
            case 10 when old?.Length < LiveLimit / Keys:
                Assert.Equal(old.Length + 1 + value.Length, _database.Append(key, value, ";"u8));
                _model[number] = [.. old, (byte)';', .. value];
                break;
            case 11:
                byte[]? expected = _random.Next(3) == 0 ? value : old, desired = _random.Next(4) == 0 ? null : value;
                bool isSame = expected == null ? old == null : old != null && expected.AsSpan().SequenceEqual(old);
                Assert.Equal(isSame, _database.CompareExchange(key, expected, desired));
                if (isSame)
                    Take(number, desired);
                break;
            case 12:
                Count(number, old);
                break;
            case 13:
                Process(number, old, value);
                break;
            default:
                CheckValue(key, old);
                break;
        }
    }

    private void Count(int number, byte[]? old)
    {
        if (old != null && old.Length != sizeof(long))
        {
            Assert.Throws<InvalidOperationException>(() => _database.Increment(Some.Key(number)));
            return;
        }
        long before = old == null ? 1_000 : BinaryPrimitives.ReadInt64LittleEndian(old);
        int delta = _random.Next(-100, 100);
        var bytes = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, unchecked(before + delta));
        if ((before > 0 && before + delta < 0 && delta > 0) || (before < 0 && before + delta > 0 && delta < 0))
            return; // random bytes near the end of the numbers
        Assert.Equal(before + delta, _database.Increment(Some.Key(number), delta, initial: 1_000));
        _model[number] = bytes;
    }

    private void Process(int number, byte[]? old, byte[] value)
    {
        int kind = _random.Next(3);
        _database.Process(Some.Key(number), (exists, found, _) =>
        {
            Assert.Equal(old != null, exists);
            Assert.True(found.SequenceEqual(old ?? []));
            return kind switch { 0 => RecordChange.Keep, 1 => RecordChange.Remove, _ => RecordChange.Set(value) };
        });
        if (kind != 0)
            Take(number, kind == 1 ? null : value);
    }

    private void Take(int number, byte[]? value)
    {
        if (value == null)
            _model.Remove(number);
        else
            _model[number] = value;
    }

    private void CheckValue(byte[] key, byte[]? expected)
    {
        Assert.Equal(expected != null, _database.Contains(key));
        var buffer = new byte[expected?.Length ?? 0];
        Assert.Equal(expected != null, _database.TryGet(key, buffer, out int length));
        Assert.Equal(buffer.Length, length);
        Assert.True(buffer.AsSpan().SequenceEqual(expected), "a value is another");
    }
}
