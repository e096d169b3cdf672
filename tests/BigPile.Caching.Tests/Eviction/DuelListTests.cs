using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Eviction;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Duels beside a list of them that is looked through as a whole.</summary>
public sealed class DuelListTests
{
    private const double VoteShare = 1 / 64.0;
    private const int Life = 50;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Each_duel_ends_once_and_as_the_rules_say(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        var used = new HashSet<uint>();
        var duels = new DuelList(used.Contains);
        var open = new List<(uint Newcomer, uint Held, long At)>();
        double score = 0;
        int votes = 0;
        for (int step = 0; step < TestLeg.Steps(20_000, 2_000_000); step++)
        {
            uint hash = (uint)random.Next(800) * 2_654_435_761;
            uint other = (uint)random.Next(800) * 2_654_435_761;
            switch (random.Next(3))
            {
                case 0:
                    bool isMissed = random.Next(2) == 0;
                    duels.End(hash, isMissed);
                    int found = open.FindIndex(duel => duel.Newcomer == hash || duel.Held == hash);
                    if (found >= 0)
                        Vote(VoteOf(open[found], hash, isMissed, used));
                    open.RemoveAll(duel => duel.Newcomer == hash || duel.Held == hash);
                    break;
                case 1 when hash != other && duels.Count < 128:
                    int before = duels.Count;
                    duels.Begin(hash, other, step, long.MaxValue);
                    bool isNew = duels.Count > before;
                    Assert.False(isNew && open.Any(duel => duel.Newcomer == hash || duel.Held == hash), $"seed {seed}, step {step}: twice");
                    if (isNew)
                        open.Add((hash, other, step));
                    break;
                default:
                    if (!used.Remove(hash))
                        used.Add(hash);
                    break;
            }
            Assert.True(duels.Count == open.Count, $"seed {seed}, step {step}: {duels.Count} duels, and {open.Count} in the model");
            Assert.True(Math.Abs(duels.Score - score) < 1e-9, $"seed {seed}, step {step}: {duels.Score} and {score}");
            InvariantChecks.At($"seed {seed}, step {step}", () => duels.CheckInvariants("duels"));
        }
        Assert.True(votes > 100, $"seed {seed}: {votes} votes");

        void Vote(int vote)
        {
            score += vote == 0 ? 0 : (vote - score) * VoteShare;
            votes += Math.Abs(vote);
        }
    }

    [Fact]
    public void The_place_of_an_old_duel_is_taken_and_the_one_that_is_used_has_won()
    {
        var used = new HashSet<uint>();
        var duels = new DuelList(used.Contains);
        int open = Fill(duels, from: 0, now: 0);
        Assert.InRange(open, 64, 128);
        Assert.Equal(0, Fill(duels, from: 10_000, now: Life - 1) - open);
        for (uint i = 0; i < 10_000; i += 2)
            used.Add(i);
        _ = Fill(duels, from: 20_000, now: Life);
        Assert.InRange(duels.Score, -1, -0.2);
        Assert.True(duels.AdmitsNewcomers);
        duels.CheckInvariants("duels");
    }

    [Fact]
    public void One_who_is_missed_while_the_other_is_unused_wins()
    {
        var duels = new DuelList(_ => false);
        for (uint round = 0; round < 100; round++)
        {
            duels.Begin(2 * round + 1, 2 * round + 2, round, Life);
            duels.End(2 * round + 2, isMissed: true);
        }
        Assert.InRange(duels.Score, 0.5, 1);
        Assert.False(duels.AdmitsNewcomers);
        Assert.Equal(0, duels.Count);
        Assert.InRange(duels.SizeBytes, 1, 3_000);
    }

    [Fact]
    public void That_many_grow_old_in_which_nobody_was_used_is_told_until_one_is()
    {
        var used = new HashSet<uint>();
        var duels = new DuelList(used.Contains);
        int told = 0;
        for (uint i = 0; i < 20_000; i += 2)
            told += duels.Begin(i, i + 1, i, life: 1_000) ? 1 : 0;
        Assert.InRange(told, 100, 10_000);
        for (uint i = 0; i < 100_000; i++)
            used.Add(i);
        for (uint i = 20_000; i < 40_000; i += 2)
            Assert.False(duels.Begin(i, i + 1, i, life: 1_000));
        Assert.Equal(0, duels.Score);
    }

    private static int Fill(DuelList duels, uint from, long now)
    {
        for (uint i = from; i < from + 1_000; i += 2)
            duels.Begin(i, i + 1, now, Life);
        return duels.Count;
    }

    private static int VoteOf((uint Newcomer, uint Held, long At) duel, uint hash, bool isMissed, HashSet<uint> used)
    {
        int win = duel.Newcomer == hash ? -1 : 1;
        if (!used.Contains(duel.Newcomer == hash ? duel.Held : duel.Newcomer))
            return win;
        return isMissed ? -win : 0;
    }
}
