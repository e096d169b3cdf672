using System;
using System.IO;
using System.Threading;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Channels;

/// <summary>Finds a port by name. The caller holds the control lock.</summary>
internal static class PortNames
{
    /// <summary>Finds the port of a name.</summary>
    /// <param name="name">The name.</param>
    /// <param name="ports">The number of ports of this kind.</param>
    /// <param name="portOf">Returns the port of a number.</param>
    /// <param name="number">The number of the port; if there is none, of a free port, or -1.</param>
    internal static bool TryFindLocked(byte[] name, long ports, Func<int, PortRecord> portOf, out int number)
    {
        int free = -1;
        for (number = 0; number < ports; number++)
        {
            PortRecord port = portOf(number);
            bool isUsed = Volatile.Read(ref port.IsUsed) != 0;
            if (isUsed && port.HasName(name))
                return true;
            if (!isUsed && free < 0)
                free = number;
        }
        number = free;
        return false;
    }

    /// <summary>The number of the port of a name, or of a free port.</summary>
    /// <exception cref="IOException">All are in use.</exception>
    internal static int FindLocked(byte[] name, long ports, Func<int, PortRecord> portOf, out bool isUsed)
    {
        isUsed = TryFindLocked(name, ports, portOf, out int number);
        return number >= 0
            ? number
            : throw new IOException($"The arena has {ports} ports of this kind, and all are in use: create it with more.");
    }
}
