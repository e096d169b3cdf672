using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Xunit.Abstractions;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Runs a litmus program very many times, in turn as it is and with mistakes planted, and counts forbidden outcomes.</summary>
/// <remarks>
/// All legs alternate round by round, on the same threads, until each mistake was seen often. That the program as it is has no forbidden
/// outcome is said only if each mistake had some in as many rounds. Otherwise the rounds are doubled some times, and at last the test fails
/// as inconclusive: this machine, on one processor for example, can't tell right from wrong.
/// </remarks>
internal sealed class Litmus(ITestOutputHelper output, LitmusProgram program, params string[] mutations)
{
    private const int MostExtensions = 6;
    private const int RoundsAtOnce = 1_000;
    private const int LeastSeen = 10; // had the right leg the mistake's rate, it would have none with a probability of e^-10
    private const int MostSkew = 1_000; // some hundred nanoseconds

    private static readonly int Rounds = TestLeg.Steps(5_000, 400_000); // of each leg, unless extended
    private static readonly int EnoughSeen = TestLeg.Steps(20, 40_000);

    private readonly string?[] _legs = [null, .. mutations];
    private readonly long[] _forbidden = new long[mutations.Length + 1];
    private readonly int _seed = TestLeg.Seed(1);
    private long _rounds; // of each leg
    private long _together; // of all legs: rounds in which both threads had a processor

    /// <summary>Runs it; far longer in the long leg.</summary>
    internal void Run()
    {
        long start = Stopwatch.GetTimestamp();
        using var planted = new PlantedMutation();
        for (int extensions = 0; !IsSeen(EnoughSeen); extensions++)
        {
            while (_rounds < (long)Rounds << extensions && !IsSeen(EnoughSeen))
            {
                RunRounds(planted, RoundsAtOnce);
                Assert.True(_forbidden[0] == 0, $"FORBIDDEN outcome: {Counts()}");
            }
            output.WriteLine($"{Counts()}; {Stopwatch.GetElapsedTime(start).TotalSeconds:F1} s");
            if (IsSeen(LeastSeen))
                return;
            Assert.True(
                extensions < MostExtensions,
                $"INCONCLUSIVE, which is no pass: a mutation was seen less than {LeastSeen} times, which proves nothing. {Counts()}");
        }
    }

    private bool IsSeen(int times) => _forbidden.Skip(1).All(seen => seen >= times);

    private string Counts() => string.Create(
        CultureInfo.InvariantCulture,
        $"seed {_seed}, {_rounds:N0} rounds of each leg, {100 * _together / (_rounds * _legs.Length)}% together; forbidden: ")
        + string.Create(CultureInfo.InvariantCulture, $"right {_forbidden[0]}, ")
        + string.Join(", ", mutations.Select((name, i) => string.Create(CultureInfo.InvariantCulture, $"{name} {_forbidden[i + 1]:N0}")));

    private void RunRounds(PlantedMutation planted, int rounds)
    {
        var barrier = new SpinBarrier();
        int yields = 0;
        Task[] threads =
        [
            SideBySide.Start(() => RunThread(0, rounds, barrier, Prepare, Count)),
            SideBySide.Start(() => RunThread(1, rounds, barrier, static _ => { }, static _ => { })),
        ];
        Task.WaitAll(threads);
        _rounds += rounds;

        void Prepare(int leg)
        {
            planted.Plant(_legs[leg]);
            program.Prepare();
            yields = barrier.Yields;
        }

        void Count(int leg)
        {
            if (program.IsForbidden())
                _forbidden[leg]++;
            if (barrier.Yields == yields)
                _together++;
        }
    }

    private void RunThread(int thread, int rounds, SpinBarrier barrier, Action<int> prepare, Action<int> count)
    {
        try
        {
            Processor.Pin(toFirst: thread == 0);
            var random = new Random(unchecked(_seed * 1_000 + (int)_rounds * 2 + thread));
            for (int round = 0; round < rounds * _legs.Length; round++)
            {
                int leg = round % _legs.Length;
                prepare(leg);
                if (!barrier.Wait(thread))
                    return;
                Delay.Spin(random.Next(MostSkew));
                program.Run(thread, random);
                if (!barrier.Wait(thread))
                    return;
                count(leg);
            }
        }
        catch
        {
            barrier.Break();
            throw;
        }
    }
}
