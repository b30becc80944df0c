// Lets this process import .ts files: natively where Node strips types, through tsx elsewhere.
if (!process.features.typescript) (await import('tsx/esm/api')).register();
