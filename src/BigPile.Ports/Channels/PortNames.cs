using System;
using System.IO;
using System.Threading;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Channels;

/// <summary>Finds a port by its name. The caller has the control lock.</summary>
internal static class PortNames
{
    /// <summary>The number of the port that has a name, or of one that nobody uses.</summary>
    /// <param name="name">The name.</param>
    /// <param name="ports">How many ports of the kind there are.</param>
    /// <param name="portOf">Each of them.</param>
    /// <exception cref="IOException">All are in use.</exception>
    internal static (int Number, bool IsUsed) FindLocked(byte[] name, long ports, Func<int, PortRecord> portOf)
    {
        int free = -1;
        for (int number = 0; number < ports; number++)
        {
            PortRecord port = portOf(number);
            bool isUsed = Volatile.Read(ref port.IsUsed) != 0;
            if (isUsed && port.HasName(name))
                return (number, true);
            if (!isUsed && free < 0)
                free = number;
        }
        return free >= 0
            ? (free, false)
            : throw new IOException($"The arena has {ports} such ports, and all are in use: make it with more.");
    }
}
