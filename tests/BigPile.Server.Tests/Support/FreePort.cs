using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;

namespace BigPile.Server.Tests.Support;

/// <summary>
/// Ports for programs that start later. None is given twice, and none is one that the system gives to whoever asks for any: another server
/// or connection could have that by then.
/// </summary>
internal static class FreePort
{
    private const int Least = 10_000;
    private const string Setting = "/proc/sys/net/ipv4/ip_local_port_range";

    /// <summary>The ports that the system gives.</summary>
    internal static readonly (int First, int Last) OfSystem = ReadOfSystem();

    private static readonly int[] Candidates =
    [
        .. Enumerable.Range(Least, IPEndPoint.MaxPort - Least + 1).Where(static port => port < OfSystem.First || port > OfSystem.Last),
    ];

    // Each of the test processes that run at a time begins elsewhere.
    private static int _taken = (int)(Environment.ProcessId * 499L % Candidates.Length);

    /// <summary>A port that nobody listens on, and that no other caller gets.</summary>
    internal static int Take()
    {
        int port;
        do
            port = Candidates[Interlocked.Increment(ref _taken) % Candidates.Length];
        while (!IsFree(port));
        return port;
    }

    private static bool IsFree(int port)
    {
        using var listener = new TcpListener(IPAddress.Any, port);
        try
        {
            listener.Start();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private static (int First, int Last) ReadOfSystem()
    {
        if (!File.Exists(Setting))
            return (49_152, IPEndPoint.MaxPort); // as Windows and macOS have it
        int[] range = [.. File.ReadAllText(Setting).Split().Where(static part => part != "").Select(
            static part => int.Parse(part, CultureInfo.InvariantCulture))];
        return (range[0], range[1]);
    }
}
