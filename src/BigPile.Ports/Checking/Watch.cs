using System;

namespace BigPile.Ports.Checking;

/// <summary>What tests have put between the steps, and whether an order is to be wrong.</summary>
/// <param name="Hook">Is told of each step; null outside of tests.</param>
/// <param name="Twin">The wrong orders.</param>
internal sealed record Watch(Action<Step>? Hook, Twin Twin)
{
    internal void At(Step step) => Hook?.Invoke(step);

    internal bool Has(Twin twin) => (Twin & twin) != 0;
}
