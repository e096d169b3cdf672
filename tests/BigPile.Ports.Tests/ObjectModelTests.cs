using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Ports.Tests;

/// <summary>Objects in lock step with a model: processes allocate and release at random, and come and go.</summary>
public sealed class ObjectModelTests(Xunit.Abstractions.ITestOutputHelper output) : IDisposable
{
    private readonly ArenaDirectory _directory = new();
    private readonly List<SharedObject>[] _held = [[], [], []];
    private readonly SharedArena[] _arenas = new SharedArena[3];
    private int _granuleBytes;
    private int _granules;

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(1, 64, 200)]
    [InlineData(2, 1 << 20, 40)] // a process allocates in a window of eight granules
    public void What_is_allocated_is_as_the_model_says(int normalSeed, int granuleBytes, int granules)
    {
        (_granuleBytes, _granules) = (granuleBytes, granules);
        int seed = TestLeg.Seed(normalSeed);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        for (int process = 0; process < _arenas.Length; process++)
            _arenas[process] = Open();
        int steps = TestLeg.Steps(10_000, 500_000);
        (int allocated, int refused) = (0, 0);
        for (int step = 0; step < steps; step++)
        {
            int process = random.Next(_arenas.Length);
            int most = granuleBytes * (random.Next(10) == 0 ? granules : granules / 10);
            List<SharedObject> held = _held[process];
            if (random.Next(300) == 0)
                Reopen(process);
            else if (held.Count > 0 && random.Next(2) == 0)
                Release(held, random);
            else if (_arenas[process].TryAllocate(random.Next(most)) is { } made)
            {
                held.Add(made);
                allocated++;
            }
            else
                refused++;
            _arenas[step % _arenas.Length].CheckInvariants();
            CheckStatistics(process);
        }
        output.WriteLine($"{steps} steps, allocated {allocated}, refused {refused}");
        Assert.True(allocated > steps / 20 && refused > steps / 100);
        Array.ForEach(_arenas, static arena => arena.Dispose());
    }

    private SharedArena Open() => SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions
    {
        Directory = _directory.Path, CapacityBytes = _granules * _granuleBytes, GranuleBytes = _granuleBytes, MaxDepth = 1, MaxPorts = 1,
        MaxMulticastPorts = 0, Populate = false,
    });

    private void Reopen(int process)
    {
        _arenas[process].Dispose();
        _held[process].Clear();
        _arenas[process] = Open();
    }

    private static void Release(List<SharedObject> held, Random random)
    {
        int index = random.Next(held.Count);
        held[index].Dispose();
        held.RemoveAt(index);
    }

    private void CheckStatistics(int process)
    {
        SharedArenaStatistics statistics = _arenas[process].Statistics;
        SharedObject[] all = [.. _held.SelectMany(static held => held)];
        long granules = all.Sum(one => Math.Max(1, (one.LengthBytes + _granuleBytes - 1) / _granuleBytes));
        Assert.Equal(
            (all.Length, all.Sum(static one => one.LengthBytes), (_granules - granules) * _granuleBytes),
            (statistics.Objects, statistics.LengthBytes, statistics.FreeBytes));
    }
}
