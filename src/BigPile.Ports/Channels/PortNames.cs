using System;
using System.IO;
using System.Threading;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Channels;

/// <summary>Finds a port by its name. The caller has the control lock.</summary>
internal static class PortNames
{
    /// <summary>Finds the port that has a name.</summary>
    /// <param name="name">The name.</param>
    /// <param name="ports">How many ports of the kind there are.</param>
    /// <param name="portOf">Each of them.</param>
    /// <param name="number">Its number; that of one that nobody uses, or -1, when there is none.</param>
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

    /// <summary>The number of the port that has a name, or of one that nobody uses.</summary>
    /// <exception cref="IOException">All are in use.</exception>
    internal static int FindLocked(byte[] name, long ports, Func<int, PortRecord> portOf, out bool isUsed)
    {
        isUsed = TryFindLocked(name, ports, portOf, out int number);
        return number >= 0
            ? number
            : throw new IOException($"The arena has {ports} such ports, and all are in use: make it with more.");
    }
}
