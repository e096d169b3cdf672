using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using BigPile.Memory.Concurrency;
using Xunit.Abstractions;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Threads that come and go, against a list of those that live. A thread lives as long as its region is held here.</summary>
public sealed class CriticalRegionsModelTests(ITestOutputHelper output)
{
    private const int MostLiving = 50;

    [Fact]
    public void Numbers_are_unique_small_and_reused()
    {
        for (int run = 0; run < TestLeg.Steps(3, 100); run++)
        {
            int seed = TestLeg.Seed(300) + run;
            output.WriteLine($"seed {seed}");
            var model = new Model(seed);
            for (int step = 0; step < 300; step++)
                model.Step();
            Assert.True(model.Reused > 0);
        }
    }

    private sealed class Model(int seed)
    {
        private readonly CriticalRegions _regions = new();
        private readonly Random _random = new(seed);
        private readonly List<CriticalRegion> _living = [];
        private readonly HashSet<int> _free = []; // numbers of those that ended, and were collected
        private readonly HashSet<int> _ended = []; // numbers of those that ended since
        private int _known;
        private int _collected; // of the known ones: those that the next registration forgets
        private int _registered;

        internal int Reused { get; private set; }

        internal void Step()
        {
            switch (_random.Next(8))
            {
                case < 4 when _living.Count < MostLiving:
                    Register();
                    break;
                case < 6 when _living.Count > 0:
                    End();
                    break;
                case 6:
                    Collect();
                    break;
                default:
                    EnterOrExit();
                    break;
            }
            Assert.Equal(_known, _regions.KnownCount);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private void Register()
        {
            CriticalRegion region = _regions.Register();
            _known -= _collected;
            _collected = 0;
            bool isReused = _free.Remove(region.Number);
            Assert.True(isReused || _free.Count == 0, "A number that is free is used before a new one.");
            Assert.True(isReused || region.Number == _known, "A new number is the next one.");
            Assert.DoesNotContain(_living, other => other.Number == region.Number);
            Assert.DoesNotContain(region.Number, _ended);
            Assert.Equal(++_registered, region.Shard);
            Assert.Equal((false, 0L, false), (region.IsOpen, region.PassCount, region.IsAwaited));
            Reused += isReused ? 1 : 0;
            _known++;
            _living.Add(region);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private void End()
        {
            int index = _random.Next(_living.Count);
            while (_living[index].IsOpen)
                _living[index].Exit();
            _ended.Add(_living[index].Number);
            _living.RemoveAt(index);
        }

        private void Collect()
        {
            GC.Collect();
            _collected += _ended.Count;
            _free.UnionWith(_ended);
            _ended.Clear();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private void EnterOrExit()
        {
            foreach (CriticalRegion region in _living.Where(_ => _random.Next(2) == 0))
            {
                if (region.IsOpen)
                    region.Exit();
                else
                    region.Enter();
            }
            if (_living.Find(static region => !region.IsOpen) is { } own && !_living.Exists(static region => region.IsOpen))
                _regions.WaitForQuiescence(own); // waits for nobody, dead or alive
        }
    }
}
