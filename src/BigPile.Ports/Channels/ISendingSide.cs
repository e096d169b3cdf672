namespace BigPile.Ports.Channels;

/// <summary>The ring of a port, as a process sees it that sends, or has sent.</summary>
internal interface ISendingSide
{
    /// <summary>Says that this process has the port open anew: what is on the way is backed by the new side, and so is the port's end.</summary>
    void Supersede();
}
