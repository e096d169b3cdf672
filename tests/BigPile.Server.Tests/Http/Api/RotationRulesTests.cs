using System;
using BigPile.Http.Api;

namespace BigPile.Server.Tests.Http.Api;

public sealed class RotationRulesTests
{
    private static readonly TimeSpan Within = TimeSpan.FromSeconds(5);

    private readonly Clock _clock = new();
    private readonly RotationRules _rules;

    public RotationRulesTests() => _rules = new RotationRules(_clock);

    [Fact]
    public void A_node_is_emptied_when_it_is_asked_for_the_first_time_and_not_again()
    {
        Assert.NotNull(Ask());
        Assert.Null(Ask());
    }

    [Theory]
    [InlineData("UP", false)]
    [InlineData("UP 1/3; name=nodes/node1; weight=1/3", false)]
    [InlineData(null, false)]
    [InlineData("DOWN", true)]
    [InlineData("DOWN 3/4; name=nodes/node1; weight=1/2", true)]
    [InlineData("NOLB", true)]
    [InlineData("MAINT", true)]
    [InlineData("up", true)]
    [InlineData("", true)]
    public void A_node_is_emptied_each_time_that_the_balancer_does_not_have_it_serve(string? state, bool isEmptied)
    {
        Ask();
        for (int check = 0; check < 5; check++)
            Assert.Equal(isEmptied, Ask(state) != null);
    }

    [Theory]
    [InlineData(5_000, false)]
    [InlineData(5_001, true)]
    public void A_node_that_was_not_asked_for_longer_is_emptied(int milliseconds, bool isEmptied)
    {
        Ask();
        Assert.Equal(isEmptied, Ask(after: milliseconds) != null);
        Assert.Null(Ask());
    }

    [Fact]
    public void What_failed_is_done_at_the_next_check()
    {
        Ask();
        _rules.Forget();
        Assert.NotNull(Ask());
    }

    [Fact]
    public void Substitutes_stay_while_their_node_is_away_and_go_when_it_comes_back()
    {
        DrainInFlight("111");
        Ask(nodes: "110");
        Assert.False(_rules.MustEvict);
        Ask(nodes: "110");
        Assert.False(_rules.MustEvict);
        Ask(nodes: "111");
        Assert.True(_rules.MustEvict);
    }

    [Fact]
    public void One_that_comes_back_as_another_goes_is_seen()
    {
        DrainInFlight("110");
        Ask(nodes: "101");
        Assert.True(_rules.MustEvict);
    }

    [Fact]
    public void Puts_that_were_on_their_way_go_as_well_and_later_ones_stay()
    {
        DrainInFlight("110");
        Ask(nodes: "111");
        for (double seconds = 0.5; seconds <= RotationRules.MaxInFlightTime.TotalSeconds; seconds += 0.5)
        {
            Ask(nodes: "110");
            Assert.True(_rules.MustEvict);
        }
        Ask(nodes: "110");
        Assert.False(_rules.MustEvict);
    }

    [Theory]
    [InlineData(750, false)]
    [InlineData(751, true)]
    public void Substitutes_go_when_their_node_may_have_come_and_gone_unseen(int milliseconds, bool isEvicted)
    {
        DrainInFlight("110");
        Ask(nodes: "110", after: milliseconds);
        Assert.Equal(isEvicted, _rules.MustEvict);
    }

    // Until no put from before the first check can be in flight.
    private void DrainInFlight(string nodes)
    {
        for (double seconds = 0; seconds <= RotationRules.MaxInFlightTime.TotalSeconds + 1; seconds += 0.5)
            Ask(nodes: nodes);
        Assert.False(_rules.MustEvict);
    }

    private string? Ask(string? state = "UP", string nodes = "111", int after = 500)
    {
        _clock.Ticks += after * TimeSpan.TicksPerMillisecond;
        return _rules.Take(_clock.Ticks, state, nodes, Within);
    }

    private sealed class Clock : TimeProvider
    {
        internal long Ticks { get; set; } = 1;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Ticks;
    }
}
