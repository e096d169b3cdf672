using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Files;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.Invariants;

/// <summary>Random operations on few keys; after each all structures agree with each other and with the file.</summary>
public sealed class DatabaseInvariantTests(ITestOutputHelper output) : IDisposable
{
    private const int Keys = 40;

    private static readonly Guid[] Boots = [new(1, 2, 3, new byte[8]), new(4, 5, 6, new byte[8])];

    private readonly ScratchDirectory _scratch = new();
    private readonly Dictionary<int, byte[]> _model = [];
    private Random _random = new(0);
    private HashDatabase _database = null!;
    private HashDatabaseOptions _options = null!;
    private int _boot;
    private int _files;

    public static TheoryData<BlockFileKind, int, int> Files => new()
    {
        { BlockFileKind.Standard, 8, 8 }, { BlockFileKind.MappedParallel, 8, 4 }, { BlockFileKind.MappedAtomic, 64, 8 },
        { BlockFileKind.PositionalParallel, 512, 4 }, { BlockFileKind.PositionalAtomic, 4096, 8 },
    };

    private string FilePath => _scratch.At($"database{_files}");

    public void Dispose()
    {
        _database?.Dispose();
        _scratch.Dispose();
    }

    [Theory]
    [MemberData(nameof(Files))]
    public void Structures_agree_after_each_step(BlockFileKind kind, int alignment, int width)
    {
        int seed = TestLeg.Seed(70);
        output.WriteLine($"seed {seed}");
        _random = new Random(seed);
        _options = new HashDatabaseOptions
        {
            FileKind = kind, Tuning = new HashTuning { Buckets = 1, Alignment = alignment, OffsetWidth = width }, BootId = Boots[0],
        };
        _database = HashDatabase.Open(FilePath, _options);
        for (int step = 0; step < TestLeg.Steps(700, 100_000); step++)
        {
            Step();
            _database.CheckInvariants();
        }
        Some.AssertHolds(_database, _model);
    }

    private void Step()
    {
        int number = _random.Next(Keys);
        switch (_random.Next(400))
        {
            case 0:
                _database.Clear();
                _model.Clear();
                break;
            case < 3:
                _database.Rebuild(_random.Next(2) == 0 ? null : _options.Tuning with { Buckets = 1 << _random.Next(11) });
                break;
            case < 7:
                _database.Dispose();
                _database = HashDatabase.Open(FilePath, _options);
                break;
            case < 11:
                End(isPowerCut: false);
                break;
            case 11:
                _database.Synchronize(); // what a power cut would lose is nothing
                End(isPowerCut: true);
                break;
            case < 30:
                _database.Synchronize();
                break;
            case < 170:
                Assert.Equal(_model.Remove(number), _database.Remove(Some.Key(number)));
                break;
            default:
                _model[number] = Some.Bytes(_random.Next(), _random.Next(40) == 0 ? _random.Next(200_000) : Some.Length(_random));
                _database.Set(Some.Key(number), _model[number]);
                break;
        }
    }

    // Goes on with a copy of the file.
    private void End(bool isPowerCut)
    {
        byte[] bytes = PileFiles.ReadShared(FilePath);
        _database.Dispose();
        _files++;
        File.WriteAllBytes(FilePath, bytes);
        _boot ^= isPowerCut ? 1 : 0;
        _options = _options with { BootId = Boots[_boot] };
        _database = HashDatabase.Open(FilePath, _options);
        Assert.Equal(
            (isPowerCut ? HashEnding.PowerCut : HashEnding.Killed, 0L), (_database.Recovery.Ending, _database.Recovery.DamagedRecords));
    }
}
