using System;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Hosting;

/// <summary>Runs requests on the threads that wait for the network, rather than hand each one to the pool.</summary>
/// <remarks>
/// Saves a change of threads for each request. But a request that blocks stalls every connection of its thread, and a page fault that must
/// read from the disk is such a block: only where the pile's segments are resident. Two switches belong together, and one alone is slower
/// than none: the sockets', which the runtime reads from the environment when the first socket is made, and the server's.
/// </remarks>
internal static class InlineScheduling
{
    internal const string Variable = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <summary>Switches it on; called before the process makes a socket.</summary>
    internal static void Enable(IWebHostBuilder host)
    {
        Environment.SetEnvironmentVariable(Variable, "1");
        host.ConfigureServices(static services =>
            services.Configure<SocketTransportOptions>(static sockets => sockets.UnsafePreferInlineScheduling = true));
    }
}
