using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Eviction.Policies;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Duels beside a plain list as their model.</summary>
public sealed class DuelListTests
{
    private const double VoteShare = 1 / 64.0;
    private const int Capacity = 1_000; // 128 duels
    private const int Life = 2;
    private const long Large = 1L << 40;

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
        var open = new List<(uint Newcomer, uint Held, double At)>();
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
                case 1 when hash != other && duels.Count < 512:
                    int before = duels.Count;
                    duels.Begin(hash, other, 0, Large); // nothing grows old
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
        Assert.Equal(0, Fill(duels, from: 10_000, now: Life * 0.99) - open);
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
            duels.Begin(2 * round + 1, 2 * round + 2, 0, Capacity);
            duels.End(2 * round + 2, isMissed: true);
        }
        Assert.InRange(duels.Score, 0.5, 1);
        Assert.False(duels.AdmitsNewcomers);
        Assert.Equal(0, duels.Count);
        Assert.InRange(duels.SizeBytes, 1, 3_072);
    }

    [Fact]
    public void Where_duels_grow_old_and_nobody_was_used_the_held_are_of_no_use_until_some_are()
    {
        var used = new HashSet<uint>();
        var duels = new DuelList(used.Contains);
        BeginMany(duels, from: 0, to: Life);
        Assert.False(duels.AreHeldOfNoUse, "none is old yet");
        BeginMany(duels, from: Life, to: 10 * Life);
        Assert.True(duels.AreHeldOfNoUse); // who held a place for so long without a use has lost
        for (uint i = 1; i < 20 * Life * Capacity; i += 2)
            used.Add(i);
        BeginMany(duels, from: 10 * Life, to: 20 * Life);
        Assert.False(duels.AreHeldOfNoUse);
    }

    [Fact]
    public void One_held_entry_that_wins_ends_that_they_are_of_no_use()
    {
        var duels = new DuelList(_ => false);
        BeginMany(duels, from: 0, to: 10 * Life);
        Assert.True(duels.AreHeldOfNoUse);
        duels.Begin(1_000_001, 1_000_002, 12 * Life, Capacity);
        duels.End(1_000_001, isMissed: true);
        Assert.True(duels.AreHeldOfNoUse, "a newcomer has won");
        duels.Begin(1_000_003, 1_000_004, 12 * Life, Capacity);
        duels.End(1_000_004, isMissed: true);
        Assert.False(duels.AreHeldOfNoUse);
    }

    [Theory]
    [InlineData(1, 64)]
    [InlineData(1_000, 128)]
    [InlineData(4_096, 512)]
    [InlineData(1L << 40, 512)]
    public void There_are_as_many_as_the_room_has_use_for(long capacity, int most)
    {
        var duels = new DuelList(_ => false);
        for (uint i = 0; i < 20_000; i += 2)
            duels.Begin(i, i + 1, 0, capacity);
        Assert.InRange(duels.Count, most / 2, most);
        Assert.Equal(DuelList.SizeBytesFor(capacity), duels.SizeBytes);
    }

    [Fact]
    public void Where_the_room_grows_the_open_ones_are_forgotten_and_the_score_is_kept()
    {
        var duels = new DuelList(_ => false);
        duels.Begin(1, 2, 0, Capacity);
        duels.End(1, isMissed: true);
        double score = duels.Score;
        duels.Begin(3, 4, 0, Capacity);
        duels.Begin(5, 6, 0, Large);
        Assert.Equal((1, score), (duels.Count, duels.Score));
        duels.End(3, isMissed: true);
        Assert.Equal((1, score), (duels.Count, duels.Score));
        duels.CheckInvariants("duels");
        duels.Begin(7, 8, 0, Capacity);
        Assert.Equal(2, duels.Count); // a smaller capacity keeps the duels
    }

    private static void BeginMany(DuelList duels, uint from, uint to)
    {
        for (uint i = from * Capacity; i < to * Capacity; i += 2)
            duels.Begin(i, i + 1, (double)i / Capacity, Capacity);
    }

    private static int Fill(DuelList duels, uint from, double now)
    {
        for (uint i = from; i < from + 1_000; i += 2)
            duels.Begin(i, i + 1, now, Capacity);
        return duels.Count;
    }

    private static int VoteOf((uint Newcomer, uint Held, double At) duel, uint hash, bool isMissed, HashSet<uint> used)
    {
        int win = duel.Newcomer == hash ? -1 : 1;
        if (!used.Contains(duel.Newcomer == hash ? duel.Held : duel.Newcomer))
            return win;
        return isMissed ? -win : 0;
    }
}
