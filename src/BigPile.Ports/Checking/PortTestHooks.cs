using System;

namespace BigPile.Ports.Checking;

/// <summary>What tests have put between the steps, and whether an order is to be wrong.</summary>
/// <param name="Hook">Is told of each step; null outside of tests.</param>
/// <param name="Mutation">The wrong orders.</param>
internal sealed record PortTestHooks(Action<PortCrashPoint>? Hook, PortMutation Mutation)
{
    internal void Pass(PortCrashPoint point) => Hook?.Invoke(point);

    internal bool Has(PortMutation mutation) => (Mutation & mutation) != 0;
}
