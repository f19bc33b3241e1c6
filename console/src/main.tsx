import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { queryClient } from "./api/queries.ts";
import { reloadForNewRelease } from "./layout/stale-files.ts";
import { startTheme } from "./layout/theme.ts";
import { Toaster } from "./layout/toaster.tsx";
import { router } from "./router.ts";
import { startTooltips } from "./tooltip/popup.ts";

import "./styles.css";

startTheme();
reloadForNewRelease();
startTooltips();

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toaster />
      </QueryClientProvider>
    </StrictMode>,
  );
