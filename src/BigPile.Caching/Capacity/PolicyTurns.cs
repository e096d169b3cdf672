using System;
using System.Numerics;
using BigPile.Layout;

namespace BigPile.Caching.Capacity;

/// <summary>Whether the policies choose who goes for a block of a full pile, or a page is emptied for it.</summary>
/// <remarks>
/// The victims of policies help a block whose size is common among them. For another one they would go in vain each time: so after each
/// time that this did not help, the size waits twice as long for the next one, as in exponential backoff.
/// Thread safety: all members may be called concurrently; updates that are lost change a turn.
/// </remarks>
internal sealed class PolicyTurns
{
    private const int MostWait = 64;
    private const int RunKinds = 32;

    private readonly Turn[] _turns = new Turn[SizeClasses.Count + RunKinds]; // by size class; runs by the logarithm of their size

    /// <summary>Whether it is the policies' turn.</summary>
    /// <param name="blockBytes">The block's size.</param>
    /// <param name="attempt">The number of earlier attempts of the same put.</param>
    internal bool IsTurn(long blockBytes, int attempt)
    {
        ref Turn turn = ref _turns[KindOf(blockBytes)];
        if (attempt != 0)
        {
            if (turn.WasPolicy)
                turn.Left = turn.Wait = (byte)Math.Clamp(2 * turn.Wait, 1, MostWait);
            turn.WasPolicy = false;
            return false;
        }
        if (turn.WasPolicy)
            turn.Wait = 0; // it helped, as no second attempt came
        turn.WasPolicy = turn.Left == 0;
        if (turn.Left != 0)
            turn.Left--;
        return turn.WasPolicy;
    }

    private static int KindOf(long blockBytes) => blockBytes <= SizeClasses.MaxSlotBytes
        ? SizeClasses.ClassOf((int)blockBytes)
        : SizeClasses.Count + BitOperations.Log2((ulong)blockBytes);

    private struct Turn
    {
        internal bool WasPolicy; // the last time
        internal byte Wait; // turns of pages after a failure
        internal byte Left; // of these
    }
}
