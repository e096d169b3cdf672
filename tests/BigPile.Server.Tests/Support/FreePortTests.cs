using System.Linq;

namespace BigPile.Server.Tests.Support;

/// <summary>What the ports of servers in processes of their own must not be.</summary>
public sealed class FreePortTests
{
    [Fact]
    public void No_port_is_given_twice_or_is_one_that_the_system_gives()
    {
        int[] ports = [.. Enumerable.Range(0, 200).Select(static _ => FreePort.Take())];
        Assert.Equal(ports.Length, ports.Distinct().Count());
        Assert.DoesNotContain(ports, static port => port >= FreePort.OfSystem.First && port <= FreePort.OfSystem.Last);
    }
}
