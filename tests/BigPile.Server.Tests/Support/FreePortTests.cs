using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Support;

/// <summary>What the ports of servers in processes of their own must not be.</summary>
public sealed class FreePortTests
{
    [Fact]
    public async Task No_port_is_given_twice_or_is_one_that_the_system_gives()
    {
        int[] ports = [.. (await Task.WhenAll(Enumerable.Range(0, 4).Select(
            static _ => Task.Run(static () => Enumerable.Range(0, 50).Select(static _ => FreePort.Take()).ToArray())))).SelectMany(
                static taken => taken)];
        Assert.Equal(ports.Length, ports.Distinct().Count());
        Assert.DoesNotContain(ports, static port => port >= FreePort.OfSystem.First && port <= FreePort.OfSystem.Last);
    }
}
