namespace BigPile.Ports.Channels;

/// <summary>The ring of a port, as a process sees it that sends, or has sent.</summary>
internal interface ISendingSide
{
    /// <summary>Says that this process has opened the port anew: the new side backs what is on the way, and has the port's end.</summary>
    void Supersede();
}
