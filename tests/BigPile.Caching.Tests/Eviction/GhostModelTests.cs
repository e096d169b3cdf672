using System;
using System.Collections.Generic;
using BigPile.Caching.Eviction.Policies;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>The ghosts beside a dictionary that forgets nothing, as their model.</summary>
public sealed class GhostModelTests
{
    private const int Hashes = 300; // far fewer than there are places, so that none drives out another one
    private const int Capacity = 1_000;
    private const double Window = 1.1 * Capacity;
    private const double PaceOfMain = 22; // its ghosts expire that much faster, and are all recent
    private const int MarksOff = 2 * 22; // ages are told in marks of some evictions
    private const int WindowsToComeRound = 4; // a mark that is older may be told as a fresh one again

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Evictions_are_remembered_once_and_for_a_window(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        uint[] hashes = new uint[Hashes];
        for (int i = 0; i < Hashes; i++)
            hashes[i] = (uint)random.NextInt64(uint.MaxValue);
        using var ghosts = new GhostList();
        var gone = new Dictionary<uint, (GhostKind Kind, long At)>();
        var evicted = new Dictionary<GhostKind, long> { [GhostKind.Small] = 0, [GhostKind.Main] = 0 };
        int found = 0;
        int forgotten = 0;
        for (int step = 0; step < TestLeg.Steps(50_000, 5_000_000); step++)
        {
            uint hash = hashes[Math.Min(random.Next(Hashes), random.Next(Hashes))];
            if (gone.Remove(hash, out (GhostKind Kind, long At) ghost))
            {
                GhostKind told = ghosts.Take(hash, out bool isRecent);
                double age = (evicted[ghost.Kind] - ghost.At) * (ghost.Kind == GhostKind.Main ? PaceOfMain : 1);
                if (age < Window - MarksOff)
                    Assert.True(told == ghost.Kind, $"seed {seed}, step {step}: {told} of {ghost}, {age} evictions ago");
                if (age > Window + MarksOff && age < Window * WindowsToComeRound)
                    Assert.True(told == GhostKind.None, $"seed {seed}, step {step}: {told} of {ghost}, {age} evictions ago");
                if (told != GhostKind.None && Math.Abs(age - Window / PaceOfMain) > MarksOff)
                    Assert.True(isRecent == (told == GhostKind.Main || age < Window / PaceOfMain), $"seed {seed}, step {step}: {age} old");
                found += told == GhostKind.None ? 0 : 1;
                forgotten += told == GhostKind.None ? 1 : 0;
                Assert.Equal(GhostKind.None, ghosts.Take(hash, out _));
            }
            else
            {
                GhostKind kind = random.Next(3) == 0 ? GhostKind.Main : GhostKind.Small;
                ghosts.Add(hash, kind, 1.0 / Capacity, 4 * Hashes);
                gone[hash] = (kind, ++evicted[kind]);
            }
            InvariantChecks.At($"seed {seed}, step {step}", () => ghosts.CheckInvariants("ghosts"));
        }
        Assert.True(found > 1_000 && forgotten > 100, $"seed {seed}: {found} were found and {forgotten} forgotten");
    }
}
