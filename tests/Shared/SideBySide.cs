using System;
using System.Diagnostics;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Testing;

/// <summary>Work that runs side by side for certain, however few cores there are and however busy the thread pool is.</summary>
/// <remarks>
/// A task of the pool begins when the pool has a thread for it: beside other tests that may be after those have ended beside which it was
/// to run. Each worker here has a thread of its own, and none begins before all are there.
/// </remarks>
internal static class SideBySide
{
    /// <summary>Runs an action on a thread of its own, which begins however busy the pool is.</summary>
    internal static Task Start(Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <inheritdoc cref="Start(Action)"/>
    internal static Task<T> Start<T>(Func<T> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <inheritdoc cref="Rounds(Worker[])"/>
    internal static Task RoundsAsync(params Worker[] workers) => Start(() => Rounds(workers));

    /// <summary>Runs rounds until every worker has done its number of them. A worker that is done goes on until the others are.</summary>
    /// <remarks>So each has done its minimum, and all of it beside the others. The first that throws ends all, and is thrown.</remarks>
    internal static void Rounds(params Worker[] workers)
    {
        var team = new Team(workers);
        Task[] tasks = [.. workers.Select((_, index) => Start(() => team.Work(index)))];
        long lacking = long.MaxValue;
        long progressed = Stopwatch.GetTimestamp();
        while (!Task.WaitAll(tasks, TimeSpan.FromSeconds(1)))
        {
            (long before, lacking) = (lacking, team.Lacking);
            if (lacking != before)
                progressed = Stopwatch.GetTimestamp();
            else
                team.Check(Stopwatch.GetElapsedTime(progressed));
        }
        team.Throw();
    }

    /// <summary>One that does rounds.</summary>
    /// <param name="atLeast">How many counted rounds it does at least.</param>
    /// <param name="round">Does the round of a number, and says whether it counts.</param>
    internal sealed class Worker(int atLeast, Func<int, bool> round)
    {
        /// <summary>One whose every round counts.</summary>
        internal Worker(int atLeast, Action<int> round)
            : this(atLeast, number =>
            {
                round(number);
                return true;
            })
        {
        }

        internal int AtLeast => atLeast;

        internal bool Do(int number) => round(number);
    }

    private sealed class Team(Worker[] workers)
    {
        private readonly int[] _lacking = [.. workers.Select(static worker => worker.AtLeast)];
        private readonly Barrier _start = new(workers.Length);
        private ExceptionDispatchInfo? _thrown;
        private volatile bool _isGivenUp;

        /// <summary>How many rounds there are still to be.</summary>
        internal long Lacking => _lacking.Select((_, index) => (long)Volatile.Read(ref _lacking[index])).Sum();

        internal void Work(int index)
        {
            _start.SignalAndWait();
            try
            {
                for (int number = 0; !_isGivenUp && !IsDone(); number++)
                {
                    if (workers[index].Do(number) && _lacking[index] > 0)
                        Volatile.Write(ref _lacking[index], _lacking[index] - 1);
                }
            }
            catch (Exception e)
            {
                Interlocked.CompareExchange(ref _thrown, ExceptionDispatchInfo.Capture(e), null);
                _isGivenUp = true;
            }
        }

        internal void Throw() => _thrown?.Throw();

        /// <summary>Gives up if no worker has made progress for too long.</summary>
        internal void Check(TimeSpan elapsed)
        {
            if (elapsed < Eventually.Timeout)
                return;
            _isGivenUp = true;
            Throw(); // the one that threw, when the others do not end
            Assert.Fail($"Nobody has done a round that counts for {elapsed.TotalSeconds:N0} s; lacking: {string.Join(", ", _lacking)}");
        }

        private bool IsDone()
        {
            for (int i = 0; i < _lacking.Length; i++)
            {
                if (Volatile.Read(ref _lacking[i]) > 0)
                    return false;
            }
            return true;
        }
    }
}
