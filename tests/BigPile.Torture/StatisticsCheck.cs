using System.Linq;
using BigPile.Torture.Journals;

namespace BigPile.Torture;

/// <summary>The equations that a pile's statistics keep.</summary>
internal static class StatisticsCheck
{
    /// <summary>Checks them while nobody changes the pile.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="objects">The objects and entries that are there.</param>
    /// <param name="findings">Takes what is wrong.</param>
    /// <param name="hasFaults">Whether the opening may have dropped what a power cut tore.</param>
    internal static void Run(Pile pile, long objects, Findings findings, bool hasFaults = false)
    {
        pile.Recovery.Completion.Wait();
        if (!hasFaults)
            CheckFaults(pile, findings);
        long payloadBytes = pile.Sum(static entry => (long)entry.SizeBytes);
        PileStatistics statistics = pile.Statistics;
        if (statistics.ReservedBytes != statistics.CommittedBytes + statistics.UnusedBytes)
            findings.Wrong("statistics: reserved = committed + unused does not hold", statistics.ToString());
        long parts = statistics.PayloadBytes + statistics.HeaderBytes + statistics.SlackBytes + statistics.FreeBytes
            + statistics.UnexaminedBytes;
        if (statistics.CommittedBytes != parts)
            findings.Wrong("statistics: committed = payload + headers + slack + free + unexamined does not hold", statistics.ToString());
        if (statistics.PayloadBytes != payloadBytes)
            findings.Wrong("statistics: the payload bytes", $"{statistics.PayloadBytes:N0}, and payloads of {payloadBytes:N0} are there");
        if (statistics.ObjectCount != objects)
            findings.Wrong("statistics: the object count", $"{statistics.ObjectCount:N0}, and {objects:N0} objects are there");
        if (pile.LeaseCount != 0)
            findings.Wrong("statistics: leases", $"{pile.LeaseCount:N0} blocks are leased, and nobody has a lease");
    }

    // A kill leaves nothing that recovery would have to call damaged, and nothing that a look at every block finds.
    private static void CheckFaults(Pile pile, Findings findings)
    {
        foreach (PileFault fault in pile.Verify().Faults)
            findings.Wrong("recovery or the verification reports a fault", fault.ToString());
    }
}
