using System.Threading;

namespace BigPile.Memory.Concurrency;

/// <summary>What locks of the runtime lack.</summary>
internal static class LockExtensions
{
    /// <summary>Waits until the present holder, if any, has left, and sees all that it has stored.</summary>
    internal static void WaitUntilFree(this Lock held)
    {
        held.Enter();
        held.Exit();
    }
}
