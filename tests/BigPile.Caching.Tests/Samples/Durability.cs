using System;

namespace BigPile.Caching.Tests.Samples;

/// <summary>The README's example of a mapped pile that outlives what happens to it.</summary>
internal static class Durability
{
    internal static (bool WasClean, bool IsSound, string Text) Run(string directory)
    {
        string text;
        bool wasClean;
        // README: durability
        using (Pile pile = Pile.Open(directory, new PileOptions { FlushInterval = TimeSpan.FromSeconds(10) }))
        {
            PilePointer pointer = pile.Put("kept");
            pile.Flush();                                  // durable from here on, whatever happens to the machine

            wasClean = pile.Recovery.WasClean;             // false after a kill or a power cut; pile.Recovery says what was done
            using Pile reader = Pile.Open(directory, new PileOptions { ReadOnly = true });   // also in another process
            text = reader.Get<string>(pointer);
        }
        PileVerification found = Pile.VerifyDirectory(directory);   // every block; found.Faults names what is wrong and where
        // README: end of durability
        return (wasClean, found.IsSound, text);
    }
}
