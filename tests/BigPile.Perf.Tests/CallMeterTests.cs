using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Perf.Latencies;

namespace BigPile.Perf.Tests;

public sealed class CallMeterTests
{
    private const int Calls = 200;
    private const int PerSecond = 1000;
    private const int SlowEvery = 10;
    private const int SlowMs = 3;

    private readonly CallMeter _meter = new();
    private int _slow; // fewer than there should be on a machine that is too busy, where it ends before

    [Fact]
    public void A_call_that_sleeps_is_blocked()
    {
        Measure(Sleep);
        if (OperatingSystem.IsLinux())
            Assert.InRange(_meter.Blocked.Count, _slow, Calls);
        Assert.InRange(_meter.Blocked.MaxNs + _meter.Preempted.MaxNs, 1_000_000, long.MaxValue);
    }

    // The collector of other tests stops some of them for a while, and that is no mistake.
    [Fact]
    public void A_call_that_is_only_busy_is_not()
    {
        Eventually.True(() =>
        {
            Measure(BeBusy);
            return _meter.Preempted.Count != 0;
        });
        Assert.InRange(_meter.Blocked.Count + _meter.Preempted.Count, _slow, _meter.Service.Count);
    }

    [Fact]
    public void Who_waits_behind_a_slow_call_is_late_though_fast_itself()
    {
        Measure(Sleep);
        Assert.Equal(_meter.Service.Count, _meter.Response.Count);
        Assert.InRange(_meter.Response.Percentile(0.85), 1_000_000, long.MaxValue); // more than one of ten
        Assert.InRange(_meter.Response.MaxNs, _meter.Service.MaxNs, long.MaxValue);
        Assert.InRange(_meter.Seconds, _slow * SlowMs / 1000.0, double.MaxValue);
    }

    [Fact]
    public void A_rate_out_of_reach_ends_after_twice_the_time()
    {
        _meter.Run(Call("wait", static _ => Sleep()), Calls, Calls * 20, CancellationToken.None); // all in 50 ms
        Assert.InRange(_meter.Service.Count, 1, 100 / SlowMs + 1);
    }

    [Fact]
    public void A_wrong_answer_ends_it()
    {
        var call = new MeasuredCall("get", static i => i, static number => number < 7);
        LoadException error = Assert.Throws<LoadException>(() => _meter.Run(call, Calls, PerSecond, CancellationToken.None));
        Assert.Contains("get of entry 7", error.Message);
    }

    private void Measure(Action slow)
    {
        MeasuredCall call = Call("call", number =>
        {
            if (number % SlowEvery != 0)
                return;
            slow();
            _slow++;
        });
        _meter.Run(call, Calls, PerSecond, CancellationToken.None);
    }

    private static MeasuredCall Call(string name, Action<int> make) => new(name, static i => i, number =>
    {
        make(number);
        return true;
    });

    private static void BeBusy()
    {
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start).TotalMilliseconds < SlowMs)
            Thread.SpinWait(10);
    }

    private static void Sleep() => CancellationToken.None.WaitHandle.WaitOne(SlowMs);
}
