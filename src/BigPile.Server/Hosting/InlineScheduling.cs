using System;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Hosting;

/// <summary>Runs requests on the network threads instead of the thread pool.</summary>
/// <remarks>
/// Saves a thread switch per request. But a request that blocks stalls every connection of its thread, and a page fault that reads from
/// disk blocks: use it only where the pile's segments are resident. Two switches belong together, since one alone is slower than none: the
/// sockets' (an environment variable, read when the first socket is created) and the server's.
/// </remarks>
internal static class InlineScheduling
{
    internal const string Variable = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <summary>Switches it on. Must be called before the process creates a socket.</summary>
    internal static void Enable(IWebHostBuilder host)
    {
        Environment.SetEnvironmentVariable(Variable, "1");
        host.ConfigureServices(static services =>
            services.Configure<SocketTransportOptions>(static sockets => sockets.UnsafePreferInlineScheduling = true));
    }
}
