using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Testing;

/// <summary>Waits for an effect of another thread or process. A wait that times out fails with what it waited for.</summary>
internal static class Eventually
{
    /// <summary>Far longer than anything takes, even on a machine that does much else.</summary>
    internal static readonly TimeSpan Timeout = TimeSpan.FromSeconds(100);

    /// <summary>Waits until a condition holds.</summary>
    internal static async Task TrueAsync(Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        long start = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Check(start, what);
            await Task.Yield();
        }
    }

    /// <inheritdoc cref="TrueAsync(Func{bool}, string)"/>
    internal static async Task TrueAsync(Func<Task<bool>> condition, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        long start = Stopwatch.GetTimestamp();
        while (!await condition())
        {
            Check(start, what);
            await Task.Yield();
        }
    }

    /// <summary>Asks until there is an answer that is not <see langword="null"/>.</summary>
    internal static async Task<T> GetAsync<T>(Func<Task<T?>> ask, [CallerArgumentExpression(nameof(ask))] string what = "") where T : struct
    {
        T? answer = null;
        await TrueAsync(async () => (answer = await ask()) != null, what);
        return answer!.Value;
    }

    /// <summary>Waits on this thread until a condition holds.</summary>
    internal static void True(Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string what = "") =>
        Assert.True(SpinWait.SpinUntil(condition, Timeout), InVain(what));

    private static void Check(long start, string what) => Assert.True(Stopwatch.GetElapsedTime(start) < Timeout, InVain(what));

    private static string InVain(string what) => $"Waited {Timeout.TotalSeconds:N0} s in vain for: {what}";
}
