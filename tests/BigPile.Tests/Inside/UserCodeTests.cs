using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Tests.Durability;

namespace BigPile.Tests.Inside;

/// <summary>Code of the user's that a call runs: it takes its time, calls back, closes the pile, throws.</summary>
public sealed class UserCodeTests : DurabilityTest
{
    private static readonly TimeSpan Timeout = Eventually.Timeout;

    private readonly CallingCodec _codec = new();

    public static TheoryData<string> Ways => [.. Intrusions.All.Keys];

    /// <summary>As when it waits for a lock that a thread holds which calls the pile: neither would ever go on.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public async Task While_it_does_not_return_every_other_call_does(string way)
    {
        using Pile pile = OpenWithCodec();
        PilePointer pointer = pile.Put(new byte[100]);
        using var isInside = new ManualResetEventSlim();
        using var mayLeave = new ManualResetEventSlim();
        Task call = SideBySide.Start(() => Intrusions.All[way](pile, _codec, () =>
        {
            isInside.Set();
            mayLeave.Wait();
        }));
        Task others = Task.CompletedTask;
        try
        {
            Assert.True(isInside.Wait(Timeout));
            others = SideBySide.Start(() =>
            {
                pile.Replace(pointer, new byte[50_000]);
                Assert.Equal(50_000, pile.GetBytes(pointer).Length);
                pile.Flush();
                pile.Trim();
                pile.Compact();
                Assert.Equal(pile.Count(), pile.Statistics.ObjectCount);
                pile.Lease(pointer).Dispose();
                pile.Delete(pointer);
                pile.Dispose();
            });
            await others.WaitAsync(Timeout);
        }
        finally
        {
            mayLeave.Set();
            await Record.ExceptionAsync(() => call); // of some ways: closed meanwhile
            await others;
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task It_may_use_the_pile(string way)
    {
        using Pile pile = OpenWithCodec();
        PilePointer pointer = pile.Put(new byte[100]);
        int calls = 0;
        await SideBySide.Start(() => Intrusions.All[way](pile, _codec, () =>
        {
            if (++calls > 3)
                return;
            pile.Replace(pointer, new byte[100 * calls]);
            pile.Delete(pile.Put("within"));
            pile.Flush();
            pile.Trim();
            Assert.Equal(100 * calls, pile.GetBytes(pointer).Length);
        })).WaitAsync(Timeout);
        Assert.InRange(calls, 1, int.MaxValue);
        Check(pile);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task It_may_close_the_pile(string way)
    {
        Pile pile = OpenWithCodec();
        PilePointer pointer = pile.Put("kept");
        pile.Flush();
        Task call = SideBySide.Start(() => Intrusions.All[way](pile, _codec, pile.Dispose));
        Exception? thrown = await Record.ExceptionAsync(() => call.WaitAsync(Timeout));
        Assert.True(thrown is null or ObjectDisposedException, thrown?.ToString());
        Assert.Throws<ObjectDisposedException>(() => pile.Contains(pointer));
        using Pile again = OpenWithCodec();
        Assert.True(again.Recovery.WasClean);
        Assert.Equal("kept", again.Get(pointer));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public void What_it_throws_comes_out_and_leaves_the_pile_as_it_was(string way)
    {
        using Pile pile = OpenWithCodec();
        PilePointer pointer = pile.Put("kept");
        Intrusions.All[way](pile, _codec, static () => { }); // what the way itself leaves
        int calls = 0;
        Assert.Equal("the user's", Assert.Throws<InvalidOperationException>(() => Intrusions.All[way](pile, _codec, () =>
        {
            calls++;
            throw new InvalidOperationException("the user's");
        })).Message);
        Assert.Equal(1, calls);
        _codec.Serializing = _codec.Deserializing = null;
        Assert.Equal("kept", pile.Get(pointer));
        pile.Flush();
        Check(pile);
    }

    /// <summary>Every block that is taken is an object that the walk finds, and every byte is accounted for.</summary>
    private static void Check(Pile pile)
    {
        PileStatistics s = pile.Statistics;
        Assert.Equal(pile.Count(), s.ObjectCount);
        Assert.Equal(pile.Sum(static entry => (long)entry.SizeBytes), s.PayloadBytes);
        PileFigures.AssertAddUp(s);
        Assert.True(pile.Verify().IsSound);
    }

    private Pile OpenWithCodec() => Open(options => options with { Codec = _codec });
}
